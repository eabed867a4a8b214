package document

import (
	"maps"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"nptbench/internal/spelling"
)

// build turns a syntax tree into nodes. An alias is the node that was given its name before, so none can contain itself.
func (d *Document) build(from ast.Node) *Node {
	n := &Node{At: position(from)}
	if d.size > maxSize {
		return n
	}
	before := d.size
	d.grow(1, n.At)
	switch v := from.(type) {
	case *ast.MappingNode:
		n.Is, n.Fields = Mapping, d.mapping(v.Values)
	case *ast.MappingValueNode:
		n.Is, n.Fields = Mapping, d.mapping([]*ast.MappingValueNode{v})
	case *ast.SequenceNode:
		n.Is = List
		for _, item := range v.Values {
			n.Items = append(n.Items, d.build(item))
		}
	case *ast.AnchorNode:
		*n = *d.build(v.Value)
		n.At = position(v)
		d.define(v.Name.GetToken().Value, n)
	case *ast.AliasNode:
		d.resolve(v.Value.GetToken().Value, n)
	default:
		n.Is, n.scalar = kind(v), v
	}
	n.size = d.size - before
	return n
}

func (d *Document) grow(by int, at Position) {
	if d.size <= maxSize && d.size+by > maxSize {
		d.Errorf(at, "with what its aliases stand for, the file has more than %d values up to here; repeat less", maxSize)
	}
	d.size += by
}

func (d *Document) define(name string, n *Node) {
	if before, ok := d.anchors[name]; ok {
		d.Errorf(n.At, "anchor &%s is used twice (first at %s); take another name", name, before.At)
	}
	d.anchors[name] = n
}

func (d *Document) resolve(name string, n *Node) {
	if target, ok := d.anchors[name]; ok {
		at := n.At
		*n = *target
		n.At = at
		d.grow(target.size, at)
		return
	}
	hint := ""
	if len(d.anchors) > 0 {
		hint = spelling.Hint(name, slices.Sorted(maps.Keys(d.anchors)))
	}
	d.Errorf(n.At, "*%s: no &%s comes before it%s", name, name, hint)
}

// mapping reads the fields of a mapping, all with different keys. Those of a merged mapping ("<<: *name", or a list of such)
// come first; those that are written out replace them.
func (d *Document) mapping(pairs []*ast.MappingValueNode) []Field {
	var merged, own []Field
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
			d.Errorf(at, "%s is given twice (first at %s); keep one", key, before)
			continue
		}
		first[key] = at
		if !merge {
			own = append(own, Field{key, at, value})
			continue
		}
		bases := []*Node{value}
		if value.Is == List {
			bases = value.Items
		}
		for _, base := range bases {
			d.Expect(base, "<<", Mapping)
			merged = append(merged, base.Fields...)
		}
	}
	all := make([]Field, 0, len(merged)+len(own))
	for _, f := range merged {
		if _, replaced := first[f.Key]; !replaced {
			first[f.Key] = f.At
			all = append(all, f)
		}
	}
	return append(all, own...)
}

// key is a key as the file has it, a number too.
func (d *Document) key(n ast.MapKeyNode) (string, bool) {
	word, ok := (&Node{scalar: n}).Word()
	if !ok {
		d.Errorf(position(n), "a key has to be a word, or text in quotes")
	}
	return word, ok
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
