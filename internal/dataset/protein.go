package dataset

var protein = &source{
	Info: Info{
		Name: "protein", Title: "Protein", Problem: Regression, Rows: 45730, Target: 0, Columns: 10, Folds: 5, RunFolds: 1,
		Licence: "CC BY 4.0",
	},
	columns: continuous(proteinNames...),
	variants: []variant{{
		digest: "e9120eaecc5be3750760304e47b2f1abac7c95a7753d42602ca42229811bae06",
		files: []File{{
			Name:     "CASP.csv",
			MaxBytes: 3541765,
			Rows:     45730,
			URLs:     []string{uci + "00265/CASP.csv"},
			SHA256:   []string{"712d2759f8113622a3ba93a47e451397147df946111f6ffdd8c655385d564aef"},
			Gzip:     []string{"7c2b7bc2a75f4ea24f943bb275ac9db25b6f3978df8b72663fa85aeaadee9912"},
			parse:    text{separator: ',', header: proteinNames}.parse,
		}},
	}},
}

var proteinNames = []string{"RMSD", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9"}
