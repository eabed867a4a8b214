package results_test

import (
	"context"
	"fmt"
	"log"

	"nptbench/results"
)

// The records of a file, of which each has a cell, what it is by, and its metrics. A folder is read in the same way.
func ExampleRead() {
	for r, err := range results.Read(context.Background(), "published/boston-unmasked.jsonl.gz") {
		if err != nil { // of a damaged line, say; the others still come
			log.Print(err)
			continue
		}
		if r.Status == results.OK && r.Fold == 3 && r.Seed == 42 {
			fmt.Printf("%s on %s, fold %d, seed %d: RMSE %.2f\n", r.Method, r.Dataset, r.Fold, r.Seed, r.Test["rmse"])
		}
	}
	// Output:
	// npt on boston-housing, fold 3, seed 42: RMSE 2.88
}
