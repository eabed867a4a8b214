package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"

	"nptbench/baselines/gbdt"
	"nptbench/results"
)

// records are the successful ones of trainings, by what a kept model knows of its cell.
type records map[cellKey]*results.Record

type cellKey struct {
	dataset, protocol string
	fold              int
	method            string
	rate              float64
	depth, trees      int
	seed              int    // the fit's
	table             string // digest of the data set
}

func keyOf(o *gbdt.Origin, trees int, table string) cellKey {
	return cellKey{o.Dataset, o.Protocol, o.Fold, o.Method, o.LearningRate, o.MaxDepth, trees, o.Seed, table}
}

// readRecords returns nil when no folder is named.
func readRecords(ctx context.Context, dir string) (records, error) {
	if dir == "" {
		return nil, nil
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	known := records{}
	for r, err := range results.Read(ctx, dir) {
		conflict, damage := (*results.Conflict)(nil), (*results.Damage)(nil)
		if errors.As(err, &conflict) || errors.As(err, &damage) && damage.Torn {
			continue // the better record follows; or none, after a crash
		} else if err != nil {
			return nil, err
		}
		var config struct {
			Rate  float64 `json:"learning_rate"`
			Depth int     `json:"max_depth"`
			Trees int     `json:"n_estimators"`
		}
		if r.Status == results.OK && r.Measure == "" && json.Unmarshal([]byte(r.Config), &config) == nil {
			seed := gbdt.Seed(r.Seed, r.Fold)
			known[cellKey{r.Dataset, string(r.Protocol), r.Fold, r.Method, config.Rate, config.Depth, config.Trees, seed, r.DataDigest}] = r
		}
	}
	return known, nil
}

// What is said of a score beside its record.
const (
	same    = "same"
	missing = "none"
	differs = "differs: "
)

// rounding is how far apart numbers may be that are the same but for the order of additions.
const rounding = 1e-12

// compare looks the cell of a kept model up and compares all metrics of its validation and test rows.
func (k records) compare(o *gbdt.Origin, s *score, table string) string {
	r := k[keyOf(o, s.trees, table)]
	if r == nil {
		return missing
	}
	for _, part := range []struct {
		name            string
		ours, theRecord results.Metrics
	}{{"validation", s.val, r.Val}, {"test", s.test, r.Test}} {
		if len(part.ours) != len(part.theRecord) {
			return fmt.Sprintf("%s%d %s metrics, recorded %d", differs, len(part.ours), part.name, len(part.theRecord))
		}
		for _, name := range slices.Sorted(maps.Keys(part.ours)) {
			if want, ok := part.theRecord[name]; !ok || math.Abs(part.ours[name]-want) > rounding*max(1, math.Abs(want)) {
				return fmt.Sprintf("%s%s %s %v", differs, part.name, name, want)
			}
		}
	}
	return same
}
