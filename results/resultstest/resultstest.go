// Package resultstest reads records in tests.
package resultstest

import (
	"testing"

	"nptbench/results"
)

// Records returns what results.Read yields. An error, which a damaged line is too, ends the test.
func Records(t testing.TB, paths ...string) (all []*results.Record) {
	t.Helper()
	for r, err := range results.Read(t.Context(), paths...) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}
