package dataset

// The values are those of OpenML 4353, which the paper's code took. UCI's spreadsheet has more decimals.
var concrete = &source{
	Info: Info{
		Name: "concrete", Title: "Concrete", Problem: Regression, Rows: 1030, Target: 8, Columns: 9, Folds: 10, RunFolds: 10,
		Licence: "CC BY 4.0",
	},
	columns: continuous(
		"cement", "blast furnace slag", "fly ash", "water", "superplasticizer", "coarse aggregate", "fine aggregate", "age",
		"compressive strength",
	),
	variants: []variant{{
		digest: concreteDigest,
		files: []File{{
			Name:     "Concrete_Data.arff",
			MaxBytes: 1 << 18,
			Rows:     1030,
			OpenML:   4353,
			parse:    text{separator: ',', arff: true}.parse,
		}},
	}, {
		digest: concreteDigest,
		files: []File{{
			Name:     "Concrete_Data.csv",
			MaxBytes: 48778,
			Rows:     1030,
			Manual:   "the table of OpenML 4353 as CSV with a header line",
			SHA256:   []string{"c1056eb2d7653088a2f325fcc6487b745e41ce3250791ee86603c3bcb7eb6438"},
			parse:    text{separator: ',', header: []string{""}}.parse,
		}},
	}},
}

const concreteDigest = "25ae2e27664dbdf9c9cb8ccc0bb324513ebac76ad1426329cabe3da15c70b29a"
