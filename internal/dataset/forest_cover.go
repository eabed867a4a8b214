package dataset

import "strconv"

var forestCover = &source{
	Info: Info{
		Name: "forest-cover", Title: "Forest Cover", Problem: MultiClass, Rows: 581012, Target: 54, Columns: 55, Classes: 7,
		Folds: 5, RunFolds: 1, Licence: "CC BY 4.0 (Blackard, Colorado State University)",
	},
	cached:  true,
	columns: forestColumns(),
	variants: []variant{{
		digest:    "ead794007090796a214fa6cdce962afec7d9afb25181b41967e5c3f454bd120a",
		classRows: []int{211840, 283301, 35754, 2747, 9493, 17367, 20510},
		files: []File{{
			Name:     "covtype.data",
			MaxBytes: 75169317,
			Rows:     581012,
			URLs:     []string{uci + "covtype/covtype.data.gz"},
			SHA256:   []string{"0a9371cef7c964b5475d6053cc3e0894a5aa6f65ad1ed3ecb01c45aa96217945"},
			Gzip: []string{
				"614360d0257557dd1792834a85a1cdebfadc3c4f30b011d56afee7ffb5b15771", // as UCI has it
				"b22ca13b51814b12ef7fec2fc96a623903e35dab1469a4d1213fe9911d92912c",
			},
			parse: text{separator: ','}.parse,
		}},
	}},
}

// forestColumns describes ten measurements, then wilderness area and soil type as one-hot vectors of the file's own.
func forestColumns() []columnSpec {
	specs := continuous(
		"elevation", "aspect", "slope", "horizontal distance to hydrology", "vertical distance to hydrology",
		"horizontal distance to roadways", "hillshade at 9am", "hillshade at noon", "hillshade at 3pm",
		"horizontal distance to fire points",
	)
	for i := range 4 {
		specs = append(specs, levels("wilderness area "+strconv.Itoa(i+1), "0", "1"))
	}
	for i := range 40 {
		specs = append(specs, levels("soil type "+strconv.Itoa(i+1), "0", "1"))
	}
	return append(specs, levels("cover type", numerals(1, 8)...))
}
