package dataset

// Field 0 of the file is a patient's number and dropped. The target stays in front of the features.
var breastCancer = &source{
	Info: Info{
		Name: "breast-cancer", Title: "Breast Cancer", Problem: Binary, Rows: 569, Target: 0, Columns: 31, Classes: 2,
		Folds: 10, RunFolds: 10, Licence: "CC BY 4.0",
	},
	columns: append([]columnSpec{levels("diagnosis", "B", "M")}, continuous(wisconsinFeatures()...)...),
	variants: []variant{{
		digest:    "bd01a1dd2038c074b0de74f7cdc3b36f36b78a62dfc0f11237f2a5cd7e1adb4c",
		classRows: []int{357, 212},
		files: []File{{
			Name:     "wdbc.data",
			MaxBytes: 124103,
			Rows:     569,
			URLs:     []string{uci + "breast-cancer-wisconsin/wdbc.data"},
			SHA256:   []string{"d606af411f3e5be8a317a5a8b652b425aaf0ff38ca683d5327ffff94c3695f4a"},
			Gzip:     []string{"2c5ba985a0a4a45dd98834594720ece1362c436c78f1fa57b23a5499db66a420"},
			parse:    text{separator: ',', fields: consecutive(1, 32)}.parse,
		}},
	}},
}

// wisconsinFeatures names ten measurements of cell nuclei, each by its mean, standard error and worst value.
func wisconsinFeatures() []string {
	var names []string
	for _, statistic := range []string{"mean ", "se ", "worst "} {
		for _, measure := range []string{"radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity",
			"concave points", "symmetry", "fractal dimension"} {
			names = append(names, statistic+measure)
		}
	}
	return names
}

// consecutive returns first, first+1, ..., end-1.
func consecutive(first, end int) []int {
	numbers := make([]int, 0, end-first)
	for i := first; i < end; i++ {
		numbers = append(numbers, i)
	}
	return numbers
}
