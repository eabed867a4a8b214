package document

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"nptbench/internal/spelling"
)

// A Node is a value of the file, with aliases and merge keys replaced by what they stand for.
type Node struct {
	At     Position
	Is     string  // Mapping, List, Nothing, or what else it is, for messages; empty: a mistake that has been noted
	Fields []Field // of a mapping
	Items  []*Node // of a list

	scalar ast.Node // a value that is no collection
	size   int      // number of values in it
}

// What nodes are, as messages say it.
const (
	Mapping = "a mapping"
	List    = "a list"
	Nothing = "nothing"
	text    = "text"
	number  = "a number"
	boolean = "true or false"
	tag     = "a tag (!)"
	other   = "something else"
)

// A Field is one "key: value" of a mapping.
type Field struct {
	Key   string
	At    Position // of the key
	Value *Node
}

// Expect notes a node that is something else.
func (d *Document) Expect(n *Node, what, is string) bool {
	if n.Is != is && n.Is != "" {
		want := map[string]string{Mapping: "a mapping, as in {key: value}", List: "a list, as in [a, b]", text: "text"}[is]
		d.Errorf(n.At, "%s is %s; want %s", what, n.Is, want)
	}
	return n.Is == is
}

// Object reads a mapping whose keys are all among the given ones.
func (d *Document) Object(n *Node, what string, keys ...string) (map[string]*Node, bool) {
	ok := d.Expect(n, what, Mapping)
	values := map[string]*Node{}
	for _, f := range n.Fields {
		if !slices.Contains(keys, f.Key) {
			d.Errorf(f.At, "unknown key %q in %s%s", f.Key, what, spelling.Hint(f.Key, keys))
			continue
		}
		values[f.Key] = f.Value
	}
	return values, ok
}

// Sequence reads a list of at least one.
func (d *Document) Sequence(n *Node, what string) []*Node {
	if d.Expect(n, what, List) && len(n.Items) == 0 {
		d.Errorf(n.At, "%s is empty; give at least one", what)
	}
	return n.Items
}

// Text reads a string.
func (d *Document) Text(n *Node, what string) (string, bool) {
	if !d.Expect(n, what, text) {
		return "", false
	}
	return n.Word()
}

// Word returns a value that is no collection as the file has it, without quotes: -9.0 stays "-9.0", and NULL and 077 are what they look
// like. Where nothing is written there is none.
func (n *Node) Word() (string, bool) {
	switch v := n.scalar.(type) {
	case nil, *ast.TagNode:
		return "", false
	case *ast.NullNode:
		if v.Token.Type == token.ImplicitNullType {
			return "", false
		}
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	}
	return n.scalar.GetToken().Value, true
}

// Value reads a single value or a list of them.
func (d *Document) Value(n *Node) (any, bool) {
	if n.Is != List {
		return d.Single(n)
	}
	values, ok := make([]any, 0, len(n.Items)), true
	for _, item := range n.Items {
		v, good := d.Single(item)
		values, ok = append(values, v), ok && good
	}
	return values, ok
}

var (
	// withExponent is what a number looks like in YAML's core schema; the library takes those with an exponent for text.
	withExponent = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)

	// decimal is a whole number that means the same to everybody: 010 is 8 to some YAML readers and 10 to others.
	decimal = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)
)

// maxInt is the bound of whole numbers: beyond it, JSON readers that have floating-point numbers only change them.
const maxInt = 1 << 53

// kind says what a value is that is no collection.
func kind(scalar ast.Node) string {
	switch v := scalar.(type) {
	case *ast.BoolNode:
		return boolean
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return number
	case *ast.StringNode:
		if v.Token.Type == token.StringType && withExponent.MatchString(v.Value) {
			return number
		}
		return text
	case *ast.LiteralNode:
		return text
	case *ast.NullNode:
		return Nothing
	case *ast.TagNode:
		return tag
	}
	return other
}

// Single reads a value that is no collection: an int, float64, bool or string. A number in a wrong form is noted where it is written, once
// for all its aliases.
func (d *Document) Single(n *Node) (any, bool) {
	word, _ := n.Word()
	wrong := func(format string, args ...any) (any, bool) {
		d.Errorf(position(n.scalar), format, args...)
		return nil, false
	}
	switch v := n.scalar.(type) {
	case *ast.BoolNode:
		return v.Value, true
	case *ast.IntegerNode:
		i, err := strconv.Atoi(word)
		switch {
		case !decimal.MatchString(word):
			return wrong("%s: write whole numbers in plain decimal digits (is %v meant?)", word, v.Value)
		case err != nil || i >= maxInt || i <= -maxInt:
			return wrong("%s is too large; whole numbers are below 2^53 = %d", word, maxInt)
		}
		return i, true
	case *ast.FloatNode:
		return v.Value, true
	case *ast.InfinityNode, *ast.NanNode:
		return wrong("%s: want a finite number", word)
	}
	switch n.Is {
	case text:
		return word, true
	case number:
		x, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return wrong("%s is too large for a number", word)
		}
		return x, true
	case "":
	default:
		d.Errorf(n.At, "%s is not a value; want a number, true, false or text", n.Is)
	}
	return nil, false
}
