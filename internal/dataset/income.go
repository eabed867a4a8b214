package dataset

import "slices"

// Census-Income (KDD). The paper's code calls a column continuous when it has more than 55 distinct values; "?" and "NA"
// are ordinary categories, and the survey's instance weight stays in as a feature. UCI's test file is the test set.
var income = &source{
	Info: Info{
		Name: "income", Title: "Income", Problem: Binary, Rows: 299285, Target: 41, Columns: 42, Classes: 2, Folds: 5,
		RunFolds: 1, Licence: "CC BY 4.0",
	},
	cached: true,
	columns: slices.Concat(
		continuous("age"),
		categorical("class of worker", "industry code", "occupation code", "education"),
		continuous("wage per hour"),
		categorical("enrolled in education last week", "marital status", "major industry code", "major occupation code", "race",
			"hispanic origin", "sex", "member of a labor union", "reason for unemployment", "full or part time employment"),
		continuous("capital gains", "capital losses", "dividends from stocks"),
		categorical("tax filer status", "region of previous residence", "state of previous residence",
			"detailed household and family status", "detailed household summary"),
		continuous("instance weight"),
		categorical("migration code, change in msa", "migration code, change in region", "migration code, move within region",
			"live in this house 1 year ago", "migration previous residence in sunbelt", "number of persons worked for employer",
			"family members under 18", "country of birth of father", "country of birth of mother", "country of birth of self",
			"citizenship", "own business or self-employed", "fill income questionnaire for veterans' administration",
			"veterans benefits", "weeks worked in year", "year"),
		[]columnSpec{levels("income", "- 50000.", "50000+.")},
	),
	variants: []variant{{
		digest:    "ae06ccd60b9f5045a74719267c52daa89bf2e6014c56b40a62d9984e3cd28964",
		testAt:    199523,
		classRows: []int{187141 + 93576, 12382 + 6186},
		files: []File{{
			Name:     "census-income.data",
			MaxBytes: 103874469,
			Rows:     199523,
			URLs:     []string{uci + "census-income-mld/census-income.data.gz"},
			SHA256:   []string{"3676a81db7d3528f3f8b9f3c699d0f0aa28db45e6e994fa0b8ed38327539ee86"},
			Gzip:     []string{"3a8265c042a3a804761b804e3fbd2b44d26780fc11848cdc499a439b6ec209c2"},
			parse:    text{separator: ',', trim: true}.parse,
		}, {
			Name:     "census-income.test",
			MaxBytes: 51918813,
			Rows:     99762,
			URLs:     []string{uci + "census-income-mld/census-income.test.gz"},
			SHA256:   []string{"98402b1ab879573d0a7f38a699a40258080e25e33d3401e7bf9c96d3fa0fab8c"},
			Gzip:     []string{"5ac4cacd3ca9f1ecb10de1a0a41e4ac68fdc419e3fec190f5c0c6cc03b2ea659"},
			parse:    text{separator: ',', trim: true}.parse,
		}},
	}},
}
