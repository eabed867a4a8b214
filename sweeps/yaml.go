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
	file    string
	errs    Errors
	anchors map[string]*node // those so far
	size    int              // number of values so far, those behind aliases counted again for each alias
}

// A node is a value of the file, with aliases and merge keys replaced by what they stand for.
type node struct {
	at     Position
	is     string  // what it is, for messages; empty: a mistake that has been noted
	value  any     // int, float64, bool or string
	fields []field // of a mapping
	items  []*node // of a list
	size   int     // number of values in it
}

// What nodes are.
const (
	aMapping = "a mapping"
	aList    = "a list"
	aText    = "text"
	aNumber  = "a number"
	aBool    = "true or false"
	nothing  = "nothing"
	aTag     = "a tag (!)"
)

// A field is one "key: value" of a mapping.
type field struct {
	key   string
	at    Position // of the key
	value *node
}

func (d *document) errorf(at Position, format string, args ...any) {
	d.errs.add(d.file, at, format, args...)
}

// Bounds on the form of a file. The YAML parser takes time and stack by the square of the nesting.
const (
	maxBytes = 1 << 18
	maxLine  = 2000
	maxDepth = 50
	maxSize  = 200_000 // values, with what aliases stand for
)

// root parses the content and returns its top node, or nil when it is not one YAML document.
func (d *document) root(content []byte) *node {
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
	root := d.build(bodies[0])
	if d.size > maxSize {
		return nil
	}
	return root
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

// build turns a syntax tree into nodes. An alias is the node that was given its name before, so none can contain itself.
func (d *document) build(from ast.Node) *node {
	n := &node{at: position(from)}
	if d.size > maxSize {
		return n
	}
	before := d.size
	d.grow(1, n.at)
	switch v := from.(type) {
	case *ast.MappingNode:
		n.is, n.fields = aMapping, d.mapping(v.Values)
	case *ast.MappingValueNode:
		n.is, n.fields = aMapping, d.mapping([]*ast.MappingValueNode{v})
	case *ast.SequenceNode:
		n.is = aList
		for _, item := range v.Values {
			n.items = append(n.items, d.build(item))
		}
	case *ast.AnchorNode:
		*n = *d.build(v.Value)
		n.at = position(v)
		d.define(v.Name.GetToken().Value, n)
	case *ast.AliasNode:
		d.resolve(v.Value.GetToken().Value, n)
	case *ast.TagNode:
		n.is = aTag
	case *ast.NullNode:
		n.is = nothing
	default:
		d.scalar(v, n)
	}
	n.size = d.size - before
	return n
}

func (d *document) grow(by int, at Position) {
	if d.size <= maxSize && d.size+by > maxSize {
		d.errorf(at, "with what its aliases stand for, the file has more than %d values up to here; repeat less", maxSize)
	}
	d.size += by
}

func (d *document) define(name string, n *node) {
	if before, ok := d.anchors[name]; ok {
		d.errorf(n.at, "anchor &%s is used twice (first at %s); take another name", name, before.at)
	}
	d.anchors[name] = n
}

func (d *document) resolve(name string, n *node) {
	if target, ok := d.anchors[name]; ok {
		at := n.at
		*n = *target
		n.at = at
		d.grow(target.size, at)
		return
	}
	hint := ""
	if len(d.anchors) > 0 {
		hint = spelling.Hint(name, slices.Sorted(maps.Keys(d.anchors)))
	}
	d.errorf(n.at, "*%s: no &%s comes before it%s", name, name, hint)
}

// mapping reads the fields of a mapping, all with different keys. Those of a merged mapping ("<<: *name", or a list of such)
// come first; those that are written out replace them.
func (d *document) mapping(pairs []*ast.MappingValueNode) []field {
	var merged, own []field
	first := map[string]Position{}
	for _, pair := range pairs {
		at, key, ok := position(pair.Key), "<<", true
		merge := pair.Key.IsMergeKey()
		if !merge {
			key, ok = d.key(pair.Key)
		}
		value := d.build(pair.Value)
		if !ok {
			continue
		}
		if before, twice := first[key]; twice {
			d.errorf(at, "%s is given twice (first at %s); keep one", key, before)
			continue
		}
		first[key] = at
		if !merge {
			own = append(own, field{key, at, value})
			continue
		}
		bases := []*node{value}
		if value.is == aList {
			bases = value.items
		}
		for _, base := range bases {
			d.expect(base, "<<", aMapping)
			merged = append(merged, base.fields...)
		}
	}
	all := make([]field, 0, len(merged)+len(own))
	for _, f := range merged {
		if _, replaced := first[f.key]; !replaced {
			first[f.key] = f.at
			all = append(all, f)
		}
	}
	return append(all, own...)
}

func (d *document) key(n ast.MapKeyNode) (string, bool) {
	switch k := n.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		d.errorf(position(n), "the key %s is %s; put it in quotes", n.GetToken().Value, (&document{}).build(n).is)
	default:
		d.errorf(position(n), "a key has to be plain text")
	}
	return "", false
}

// expect notes a node that is something else.
func (d *document) expect(n *node, what, is string) bool {
	if n.is != is && n.is != "" {
		want := map[string]string{aMapping: "a mapping, as in {key: value}", aList: "a list, as in [a, b]", aText: "text"}[is]
		d.errorf(n.at, "%s is %s; want %s", what, n.is, want)
	}
	return n.is == is
}

// object reads a mapping whose keys are all among the given ones.
func (d *document) object(n *node, what string, keys ...string) (map[string]*node, bool) {
	ok := d.expect(n, what, aMapping)
	values := map[string]*node{}
	for _, f := range n.fields {
		if !slices.Contains(keys, f.key) {
			d.errorf(f.at, "unknown key %q in %s%s", f.key, what, spelling.Hint(f.key, keys))
			continue
		}
		values[f.key] = f.value
	}
	return values, ok
}

// sequence reads a list of at least one.
func (d *document) sequence(n *node, what string) []*node {
	if d.expect(n, what, aList) && len(n.items) == 0 {
		d.errorf(n.at, "%s is empty; give at least one", what)
	}
	return n.items
}

// text reads a string.
func (d *document) text(n *node, what string) (string, bool) {
	if !d.expect(n, what, aText) {
		return "", false
	}
	return n.value.(string), true
}

// single reads a value that is no collection: an int, float64, bool or string.
func (d *document) single(n *node) (any, bool) {
	if n.value == nil && n.is != "" {
		d.errorf(n.at, "%s is not a value; want a number, true, false or text", n.is)
	}
	return n.value, n.value != nil
}

// value reads a parameter's value: a single one or a list of them.
func (d *document) value(n *node) (any, bool) {
	if n.is != aList {
		return d.single(n)
	}
	values, ok := make([]any, 0, len(n.items)), true
	for _, item := range n.items {
		v, good := d.single(item)
		values, ok = append(values, v), ok && good
	}
	return values, ok
}

var (
	// number is what a number looks like in YAML's core schema; the library takes those with an exponent for text.
	number = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)

	// decimal is a whole number that means the same to everybody: 010 is 8 to some YAML readers and 10 to others.
	decimal = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)
)

// maxInt is the bound of whole numbers: beyond it, JSON readers that have floating-point numbers only change them.
const maxInt = 1 << 53

// scalar reads a value that is no collection.
func (d *document) scalar(from ast.Node, n *node) {
	switch v := from.(type) {
	case *ast.BoolNode:
		n.is, n.value = aBool, v.Value
	case *ast.FloatNode:
		n.is, n.value = aNumber, v.Value
	case *ast.InfinityNode, *ast.NanNode:
		d.errorf(n.at, "%s: want a finite number", v.GetToken().Value)
	case *ast.IntegerNode:
		n.is = aNumber
		digits := v.Token.Value
		if !decimal.MatchString(digits) {
			n.is = ""
			d.errorf(n.at, "%s: write whole numbers in plain decimal digits (is %v meant?)", digits, v.Value)
		} else if i, err := strconv.Atoi(digits); err != nil || i >= maxInt || i <= -maxInt {
			n.is = ""
			d.errorf(n.at, "%s is too large; whole numbers are below 2^53 = %d", digits, maxInt)
		} else {
			n.value = i
		}
	case *ast.StringNode:
		n.is, n.value = aText, v.Value
		if v.Token.Type == token.StringType && number.MatchString(v.Value) {
			n.is, n.value = aNumber, nil
			x, err := strconv.ParseFloat(v.Value, 64)
			if n.value = x; err != nil {
				n.is, n.value = "", nil
				d.errorf(n.at, "%s is too large for a number", v.Value)
			}
		}
	case *ast.LiteralNode:
		n.is, n.value = aText, v.Value.Value
	default:
		n.is = "something else"
	}
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
