package dataset

// Every number of the file is a float32 written with 18 decimals (or, in the subset, in its shortest form), so columns
// are float32 by definition. The last 500,000 rows are the test set; the subset has none, and its test rows are drawn
// like those of the other large tables: a fifth of all rows, stratified.
var higgs = &source{
	Info: Info{
		Name: "higgs", Title: "Higgs", Problem: Binary, Rows: 11000000, Target: 0, Columns: 29, Classes: 2, Folds: 5,
		RunFolds: 1, Licence: "CC BY 4.0",
	},
	cached:  true,
	columns: higgsColumns(),
	variants: []variant{{
		testAt:    10500000,
		classRows: []int{5170877, 5829123},
		files: []File{{
			Name:     "HIGGS.csv",
			MaxBytes: 9 << 30,
			Rows:     11000000,
			URLs:     []string{uci + "00280/HIGGS.csv.gz"},
			Gzip:     []string{"ea302c18164d4e3d916a1e2e83a9a8d07069fa6ebc7771e4c0540d54e593b698"},
			parse:    text{separator: ','}.parse,
		}},
	}, {
		subset:    "35,298 of the 11,000,000 rows, without the fixed test rows: a fifth is drawn as test set",
		rows:      35298,
		digest:    "d785021fc968972847ea68362af60db9b1875a140553bf7098a10da1bb656a99",
		classRows: []int{16641, 18657},
		files: []File{{
			Name:     "HIGGS.subset35298.csv",
			MaxBytes: 9740409,
			Rows:     35298,
			Manual:   "the validation and test part (15,688 and 19,610 rows) of the 98,050 rows of OpenML 23512, label first",
			SHA256:   []string{"1fd77f711f684c624b4b26feadd2786dbdcac510b21166c3a08eba7193335e4d"},
			Gzip:     []string{"a841ef1309ac5728f48ca130492df9791407e687dd87d206cf0d02f7b077c7eb"},
			parse:    text{separator: ','}.parse,
		}},
	}},
}

// higgsColumns describes the label (1 is signal), 21 measured features and 7 derived from them.
func higgsColumns() []columnSpec {
	specs := continuous(
		"lepton pT", "lepton eta", "lepton phi", "missing energy magnitude", "missing energy phi",
		"jet 1 pt", "jet 1 eta", "jet 1 phi", "jet 1 b-tag", "jet 2 pt", "jet 2 eta", "jet 2 phi", "jet 2 b-tag",
		"jet 3 pt", "jet 3 eta", "jet 3 phi", "jet 3 b-tag", "jet 4 pt", "jet 4 eta", "jet 4 phi", "jet 4 b-tag",
		"m_jj", "m_jjj", "m_lv", "m_jlv", "m_bb", "m_wbb", "m_wwbb",
	)
	for i := range specs {
		specs[i].single = true
	}
	return append([]columnSpec{levels("signal", "0", "1")}, specs...)
}
