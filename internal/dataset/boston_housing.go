package dataset

// The table at StatLib is the original; the file that UCI had holds the same values one row a line.
var bostonHousing = &source{
	Info: Info{
		Name: "boston-housing", Title: "Boston Housing", Problem: Regression, Rows: 506, Target: 13, Columns: 14, Folds: 10,
		RunFolds: 10, Licence: "none stated (StatLib)",
	},
	columns: []columnSpec{
		{name: "CRIM"}, {name: "ZN"}, {name: "INDUS"},
		levels("CHAS", "0", "1"),
		{name: "NOX"}, {name: "RM"}, {name: "AGE"}, {name: "DIS"},
		levels("RAD", "1", "2", "3", "4", "5", "6", "7", "8", "24"),
		{name: "TAX"}, {name: "PTRATIO"}, {name: "B"}, {name: "LSTAT"}, {name: "MEDV"},
	},
	variants: []variant{{
		digest: bostonDigest,
		files: []File{{
			Name:     "housing.data",
			MaxBytes: 49082,
			Rows:     506,
			URLs:     []string{uci + "housing/housing.data"},
			SHA256:   []string{"baadf72995725d76efe787b664e1f083388c79ba21ef9a7990d87f774184735a"},
			parse:    text{separator: ' '}.parse,
		}},
	}, {
		digest: bostonDigest,
		files: []File{{
			Name:     "boston",
			MaxBytes: 1 << 17,
			Rows:     506,
			URLs:     []string{"http://lib.stat.cmu.edu/datasets/boston"},
			parse:    text{separator: ' ', skip: statLibPreamble, lines: 2}.parse,
		}},
	}},
}

// statLibPreamble is how many lines of explanation stand before the first row at StatLib.
const statLibPreamble = 22

const bostonDigest = "e8877b172a37cc3cf0bf939fcf86994d25e26b60c8d966654c1af09d10cf95db"
