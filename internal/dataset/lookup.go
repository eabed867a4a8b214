package dataset

import (
	"fmt"
	"slices"
)

// The semi-synthetic tasks of section 4.2 of the paper, on Protein: can a method look up a target in a copy of the row, also where
// some features differ at random, as the paper's text has it or as its code does, where the target of the copy is off by one
// standard deviation, and where any column can be the target? See Copies.
var (
	lookup          = lookupTask("lookup", "Lookup", Copies{})
	lookupRandom    = lookupTask("lookup-random", "Lookup, random features", Copies{RandomFeatures: 3})
	lookupAddOne    = lookupTask("lookup-add-one", "Lookup, add one", Copies{Add: 1})
	lookupRandomAdd = lookupTask("lookup-random-add-one", "Lookup, random features, add one", Copies{RandomFeatures: 3, Add: 1})
	lookupFlagged   = lookupTask("lookup-random-flagged", "Lookup, random features, as coded", Copies{RandomFeatures: 7, Flagged: true})
	lookupAnyColumn = lookupTask("lookup-random-column", "Lookup, random column", Copies{AnyColumn: true})
)

func lookupTask(name, title string, c Copies) *source {
	s := *protein
	s.Name, s.Title, s.Copies, s.folder = name, title, &c, protein.Name
	s.variants = slices.Clone(s.variants)
	v := &s.variants[0]
	v.rule = fmt.Sprintf("copies {RandomFeatures:%d Add:%v}", c.RandomFeatures, c.Add)
	if c.Flagged {
		v.rule += ", of copies, flagged"
	}
	if c.AnyColumn {
		v.rule += ", any column"
	}
	v.digest = ruleDigest(v.digest, v.rule)
	return &s
}
