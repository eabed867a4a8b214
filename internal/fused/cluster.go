package fused

import (
	"slices"

	"github.com/gomlx/compute"
)

// A unit is what is computed in one go: one value, or a cluster of elementwise operations on arrays of one size.
type unit struct {
	id      int
	members []*value // operands before results

	before set64 // units that have to be done before this one, those that these need included
	reads  set64 // units whose results this one reads in another order than they come in
}

// A set64 is a set of small numbers.
type set64 []uint64

func (s set64) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }
func (s set64) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set64) remove(i int)   { s[i/64] &^= 1 << (i % 64) }
func (s set64) union(t set64) {
	for i, w := range t {
		s[i] |= w
	}
}

// isElementwise reports whether every element of the value depends on the elements at its place of the operands alone.
func (v *value) isElementwise() bool {
	switch v.op {
	case compute.OpTypeConvertDType, compute.OpTypeIota, compute.OpTypeWhere:
		return true
	}
	return len(v.in) > 0 && kernels.of[opKey{v.op, v.in[0].shape.DType}] != nil
}

// source is the view that a value reads of an operand.
func (v *value) source(operand int) view {
	if v.op == opCopy {
		return v.attr.(view)
	}
	return v.in[operand].view
}

// maxMembers bounds the length of the lists of instructions, and with it the time to compile them.
const maxMembers = 256

// clusters groups the values, which come with operands before results, into units. An elementwise operation joins the units of
// its operands of the same size, if nothing else has to happen in between; none that is computed again joins what is needed earlier.
func clusters(order []*value) []*unit {
	markAgain(order)
	c := clustering{of: make([]*unit, len(order)), place: map[*value]int{}}
	for i, v := range order {
		c.place[v] = i
	}
	for i, v := range order {
		u := &unit{id: i, members: []*value{v}, before: make(set64, (len(order)+63)/64), reads: make(set64, (len(order)+63)/64)}
		var joins []*unit
		for k := range v.in {
			x := v.source(k)
			from := c.of[c.place[x.base]]
			u.before.add(from.id)
			u.before.union(from.before)
			switch {
			case !v.isElementwise() || !x.base.isElementwise() || v.again != x.base.again:
			case x.isWhole() && x.base.shape.Size() == v.shape.Size():
				joins = append(joins, from)
			default:
				u.reads.add(from.id)
			}
		}
		c.of[i] = u
		c.units = append(c.units, u)
		for _, from := range joins {
			c.merge(c.of[i], c.of[c.place[from.members[0]]])
		}
	}
	return c.inTurn()
}

// markAgain marks what is made of inputs alone, and read by values alone that are computed again, as such a value, too, so that it
// can join them: the decayed moments of an optimiser, whose other operands are gradients.
func markAgain(order []*value) {
	early := map[*value]bool{} // made of more than inputs, or read by a value that is not computed again
	for _, v := range order {
		early[v] = v.op != compute.OpTypeParameter && v.op != compute.OpTypeConstant && !v.isElementwise()
		for k := range v.in {
			early[v] = early[v] || early[v.source(k).base]
		}
	}
	read := map[*value]bool{}
	for _, v := range slices.Backward(order) {
		v.again = v.again || read[v] && !early[v]
		for k := range v.in {
			base := v.source(k).base
			read[base], early[base] = true, early[base] || !v.again
		}
	}
}

type clustering struct {
	units []*unit
	of    []*unit // of every value
	place map[*value]int
}

// merge moves the members of one unit to the other, u, if the two can be one.
func (c *clustering) merge(later, u *unit) {
	if later == u || later.reads.has(u.id) || u.reads.has(later.id) || len(later.members)+len(u.members) > maxMembers {
		return
	}
	for _, x := range c.units { // is there one that needs u, and that later needs?
		if x != u && x != later && (later.before.has(x.id) && x.before.has(u.id) || u.before.has(x.id) && x.before.has(later.id)) {
			return
		}
	}
	u.members = append(u.members, later.members...)
	slices.SortFunc(u.members, func(a, b *value) int { return a.id - b.id })
	for _, v := range later.members {
		c.of[c.place[v]] = u
	}
	c.units = slices.DeleteFunc(c.units, func(x *unit) bool { return x == later })
	u.before.union(later.before)
	u.reads.union(later.reads)
	for _, x := range c.units {
		if x.before.has(later.id) {
			x.before.remove(later.id)
			x.before.add(u.id)
		}
		if x.reads.has(later.id) {
			x.reads.remove(later.id)
			x.reads.add(u.id)
		}
	}
	u.before.remove(u.id)
	u.before.remove(later.id)
	for _, x := range c.units {
		if x.before.has(u.id) {
			x.before.union(u.before)
		}
	}
}

// inTurn returns the units in an order in which they can be computed, as close to that of the operations as it can be.
func (c *clustering) inTurn() (out []*unit) {
	left := slices.Clone(c.units)
	last := func(u *unit) int { return u.members[len(u.members)-1].id }
	slices.SortFunc(left, func(a, b *unit) int { return last(a) - last(b) })
	done := map[*unit]bool{}
	var visit func(u *unit)
	visit = func(u *unit) {
		if done[u] {
			return
		}
		done[u] = true
		for _, v := range u.members {
			for k := range v.in {
				visit(c.of[c.place[v.source(k).base]])
			}
		}
		out = append(out, u)
	}
	for _, u := range left {
		visit(u)
	}
	return out
}
