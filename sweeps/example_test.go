package sweeps_test

import (
	"fmt"

	"nptbench/baselines/forest"
	"nptbench/baselines/knn"
	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/sweeps"
)

func ExampleParse() {
	s, err := sweeps.Parse("example.yaml", []byte(`
datasets: [yacht, breast-cancer]
folds: 3
methods:
  - method: knn
    datasets: [yacht]
    params: {p: 1}
    grid: {n_neighbors: [2, 5], weights: [uniform, distance]}
  - method: random-forest
    variants:
      few trees: {n_estimators: 50}
      many trees: {n_estimators: 1000}
`), sweeps.Catalogue{Methods: []*method.Method{knn.Method, forest.Method}, Datasets: dataset.Infos()})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range s.Datasets {
		for _, setting := range s.Settings(name) {
			fmt.Println(name, setting.Method.Name, setting.Variant, setting.JSON)
		}
	}
	// Output:
	// yacht knn  {"algorithm":"auto","leaf_size":30,"n_neighbors":2,"p":1,"ties":"first","weights":"uniform"}
	// yacht knn  {"algorithm":"auto","leaf_size":30,"n_neighbors":2,"p":1,"ties":"first","weights":"distance"}
	// yacht knn  {"algorithm":"auto","leaf_size":30,"n_neighbors":5,"p":1,"ties":"first","weights":"uniform"}
	// yacht knn  {"algorithm":"auto","leaf_size":30,"n_neighbors":5,"p":1,"ties":"first","weights":"distance"}
	// yacht random-forest few trees {"criterion":"mse","max_features":"auto","n_estimators":50}
	// yacht random-forest many trees {"criterion":"mse","max_features":"auto","n_estimators":1000}
	// breast-cancer random-forest few trees {"criterion":"gini","max_features":"auto","n_estimators":50}
	// breast-cancer random-forest many trees {"criterion":"gini","max_features":"auto","n_estimators":1000}
}

func ExampleParse_mistakes() {
	_, err := sweeps.Parse("example.yaml", []byte(`
dataset: [yacht]
datasets: [yatch]
methods:
  - method: knn
    grid: {n_neighbours: [2], weights: [unifrom], p: []}
`), sweeps.Catalogue{Methods: []*method.Method{knn.Method}, Datasets: dataset.Infos()})
	fmt.Println(err)
	// Output:
	// example.yaml:2:1: unknown key "dataset" in the sweep (did you mean "datasets"?)
	// example.yaml:3:12: unknown data set "yatch" (did you mean "yacht"?)
	// example.yaml:6:12: knn has no parameter "n_neighbours" (did you mean "n_neighbors"?)
	// example.yaml:6:41: knn: weights: "unifrom" is not allowed, want one of uniform, distance (did you mean "uniform"?)
	// example.yaml:6:54: p is empty; give at least one
}
