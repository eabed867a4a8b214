package sweeps

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	yamlparser "github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"nptbench/internal/spelling"
)

// A document is a YAML file on its way to a sweep. Its methods read nodes as what is expected there; whatever is wrong is
// noted in errs, with its place, and reading goes on.
type document struct {
	file   string
	errs   Errors
	target map[*ast.AliasNode]ast.Node // what each alias stands for
}

func (d *document) errorf(at Position, format string, args ...any) {
	d.errs.add(d.file, at, format, args...)
}

// Bounds on the form of a file. The YAML parser takes time and stack by the square of the nesting.
const (
	maxBytes = 1 << 18
	maxLine  = 2000
	maxDepth = 50
)

// root parses the content and returns its top node, or nil when it is not one YAML document.
func (d *document) root(content []byte) ast.Node {
	d.checkText(content)
	if len(d.errs) > 0 {
		return nil
	}
	file, err := parseYAML(bytes.TrimPrefix(content, []byte("\ufeff"))) // some editors begin files with this mark
	if err != nil {
		at, text := syntaxError(err)
		d.errorf(at, "not YAML: %s", text)
		return nil
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	if len(bodies) == 0 {
		d.errorf(Position{1, 1}, "the file is empty; a sweep needs at least datasets and methods")
		return nil
	}
	if bodies[0].Type() == ast.DirectiveType {
		d.errorf(position(bodies[0]), "YAML directives are not used in sweeps; leave the line out")
		return nil
	}
	for _, extra := range bodies[1:] {
		d.errorf(position(extra), "a second YAML document; a sweep file holds one")
	}
	d.link(bodies[0], map[string]ast.Node{})
	return bodies[0]
}

// checkText refuses what is no text, or text that no person would write.
func (d *document) checkText(content []byte) {
	if len(content) > maxBytes {
		d.errorf(Position{1, 1}, "%d bytes; a sweep file has at most %d", len(content), maxBytes)
		return
	}
	depth := 0
	for i, line := range bytes.Split(content, []byte("\n")) {
		row := i + 1
		for at, r := range string(line) {
			if _, size := utf8.DecodeRune(line[at:]); r == utf8.RuneError && size == 1 {
				d.errorf(Position{row, 1 + utf8.RuneCount(line[:at])}, "not UTF-8 text; save the file as UTF-8")
				return
			}
			if r < ' ' && r != '\t' && (r != '\r' || at != len(line)-1) {
				d.errorf(Position{row, 1 + utf8.RuneCount(line[:at])}, "control character %U; a sweep file is plain text", r)
			}
		}
		if indent := len(line) - len(bytes.TrimLeft(line, " \t")); bytes.ContainsRune(line[:indent], '\t') {
			d.errorf(Position{row, 1 + bytes.IndexByte(line, '\t')}, "tab in the indentation; YAML wants spaces")
		}
		if utf8.RuneCount(line) > maxLine {
			d.errorf(Position{row, maxLine + 1}, "a line has at most %d characters; break it", maxLine)
		}
		code, _, _ := strings.Cut(" "+string(line), " #")
		depth += strings.Count(code, "[") + strings.Count(code, "{") - strings.Count(code, "]") - strings.Count(code, "}")
		if depth > maxDepth {
			d.errorf(Position{row, 1}, "brackets nested deeper than %d; a list of lists is the deepest a sweep needs", maxDepth)
			return
		}
	}
}

// parseYAML is the library's parser with duplicate keys left to us and its panics turned into errors.
func parseYAML(content []byte) (file *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the parser gave up: %v", r)
		}
	}()
	return yamlparser.ParseBytes(content, 0, yamlparser.AllowDuplicateMapKey())
}

func syntaxError(err error) (Position, string) {
	at, text := Position{1, 1}, err.Error()
	var syntax yaml.Error
	if errors.As(err, &syntax) {
		text = syntax.GetMessage()
		if t := syntax.GetToken(); t != nil {
			at = Position{t.Position.Line, t.Position.Column}
		}
	}
	return at, text
}

// link finds what every alias stands for: the node that was given its name before. No alias can contain itself that way.
func (d *document) link(n ast.Node, anchors map[string]ast.Node) {
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, pair := range n.Values {
			d.link(pair, anchors)
		}
	case *ast.MappingValueNode:
		d.link(n.Key, anchors)
		d.link(n.Value, anchors)
	case *ast.MappingKeyNode:
		d.link(n.Value, anchors)
	case *ast.SequenceNode:
		for _, v := range n.Values {
			d.link(v, anchors)
		}
	case *ast.TagNode:
		d.link(n.Value, anchors)
	case *ast.AnchorNode:
		d.link(n.Value, anchors)
		name := n.Name.GetToken().Value
		if before, ok := anchors[name]; ok {
			d.errorf(position(n), "anchor &%s is used twice (first for the value at %s); take another name", name, position(before))
		}
		anchors[name] = n.Value
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		if value, ok := anchors[name]; ok {
			d.target[n] = value
			return
		}
		hint := ""
		if len(anchors) > 0 {
			hint = spelling.Hint(name, slices.Sorted(maps.Keys(anchors)))
		}
		d.errorf(position(n), "*%s: no &%s comes before it%s", name, name, hint)
	}
}

// bare looks through anchors and aliases. It returns nil for an alias that stands for nothing, which is noted already.
func (d *document) bare(n ast.Node) ast.Node {
	for {
		switch v := n.(type) {
		case *ast.AnchorNode:
			n = v.Value
		case *ast.AliasNode:
			n = d.target[v]
		default:
			return n
		}
	}
}

// A field is one "key: value" of a mapping.
type field struct {
	key   string
	at    Position // of the key
	value ast.Node
}

// mapping reads a mapping with all keys different. Keys of a merged mapping ("<<: *name") come first, those that are
// written out replace them.
func (d *document) mapping(n ast.Node, what string) ([]field, bool) {
	var pairs []*ast.MappingValueNode
	switch v := d.bare(n).(type) {
	case nil:
		return nil, false
	case *ast.MappingNode:
		pairs = v.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{v}
	default:
		d.errorf(position(n), "%s is %s; want a mapping, as in {key: value}", what, describe(v))
		return nil, false
	}
	var merged, own []field
	first := map[string]Position{}
	for _, pair := range pairs {
		at := position(pair.Key)
		if pair.Key.IsMergeKey() {
			more, ok := d.mapping(pair.Value, "<<")
			if !ok {
				return nil, false
			}
			merged = append(merged, more...)
			continue
		}
		key, ok := d.key(pair.Key)
		if !ok {
			continue
		}
		if before, twice := first[key]; twice {
			d.errorf(at, "%s is given twice (first at %s); keep one", key, before)
			continue
		}
		first[key] = at
		own = append(own, field{key, at, pair.Value})
	}
	all := make([]field, 0, len(merged)+len(own))
	for _, f := range merged {
		if _, replaced := first[f.key]; !replaced {
			first[f.key] = f.at
			all = append(all, f)
		}
	}
	return append(all, own...), true
}

func (d *document) key(n ast.MapKeyNode) (string, bool) {
	switch k := n.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		d.errorf(position(n), "the key %s is %s; put it in quotes", n.GetToken().Value, describe(n))
	default:
		d.errorf(position(n), "a key has to be plain text")
	}
	return "", false
}

// object reads a mapping whose keys are all among the given ones.
func (d *document) object(n ast.Node, what string, keys ...string) (map[string]ast.Node, bool) {
	fields, ok := d.mapping(n, what)
	values := map[string]ast.Node{}
	for _, f := range fields {
		if !slices.Contains(keys, f.key) {
			d.errorf(f.at, "unknown key %q in %s%s", f.key, what, spelling.Hint(f.key, keys))
			continue
		}
		values[f.key] = f.value
	}
	return values, ok
}

// sequence reads a list of at least one.
func (d *document) sequence(n ast.Node, what string) []ast.Node {
	switch v := d.bare(n).(type) {
	case nil:
	case *ast.SequenceNode:
		if len(v.Values) == 0 {
			d.errorf(position(n), "%s is empty; give at least one", what)
		}
		return v.Values
	default:
		d.errorf(position(n), "%s is %s; want a list, as in [a, b]", what, describe(v))
	}
	return nil
}

// text reads a string.
func (d *document) text(n ast.Node, what string) (string, bool) {
	switch v := d.bare(n).(type) {
	case nil:
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	default:
		d.errorf(position(n), "%s is %s; want text", what, describe(v))
	}
	return "", false
}

var (
	// number is what a number looks like in YAML's core schema; the library takes those with an exponent for text.
	number = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)

	// decimal is a whole number that means the same to everybody: 010 is 8 to some YAML readers and 10 to others.
	decimal = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)
)

// scalar reads a value that is no collection: an int, float64, bool or string.
func (d *document) scalar(n ast.Node) (any, bool) {
	switch v := d.bare(n).(type) {
	case nil:
	case *ast.BoolNode:
		return v.Value, true
	case *ast.FloatNode:
		return v.Value, true
	case *ast.IntegerNode:
		if decimal.MatchString(v.Token.Value) {
			if i, err := strconv.Atoi(v.Token.Value); err == nil {
				return i, true
			}
		}
		d.errorf(position(n), "%s: write whole numbers in plain decimal digits (is %v meant?)", v.Token.Value, v.Value)
	case *ast.StringNode:
		if v.Token.Type == token.StringType && number.MatchString(v.Value) {
			x, err := strconv.ParseFloat(v.Value, 64)
			if err != nil {
				d.errorf(position(n), "%s is too large for a number", v.Value)
			}
			return x, err == nil
		}
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	default:
		d.errorf(position(n), "%s is not a value; want a number, true, false or text", describe(v))
	}
	return nil, false
}

// value reads a parameter's value: a scalar or a list of scalars.
func (d *document) value(n ast.Node) (any, bool) {
	list, isList := d.bare(n).(*ast.SequenceNode)
	if !isList {
		return d.scalar(n)
	}
	values, ok := make([]any, 0, len(list.Values)), true
	for _, e := range list.Values {
		v, good := d.scalar(e)
		values, ok = append(values, v), ok && good
	}
	return values, ok
}

// position is where a node begins. For an alias it is the alias, not what it stands for.
func position(n ast.Node) Position {
	switch v := n.(type) {
	case *ast.MappingNode:
		if !v.IsFlowStyle && len(v.Values) > 0 {
			return position(v.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return position(v.Key)
	}
	t := n.GetToken()
	if t == nil || t.Position == nil {
		return Position{1, 1}
	}
	return Position{max(1, t.Position.Line), max(1, t.Position.Column)}
}

// describe says what a node is, for messages.
func describe(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.StringNode, *ast.LiteralNode:
		return "text"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "true or false"
	case *ast.NullNode:
		return "nothing"
	case *ast.TagNode:
		return "a tag (!)"
	}
	return "something else"
}
