package dataset

// All six features are categorical, as in the paper's code: its table calls the Froude number continuous, but the
// published numbers come out only with a one-hot Froude number.
var yacht = &source{
	Info: Info{
		Name: "yacht", Title: "Yacht", Problem: Regression, Rows: 308, Target: 6, Columns: 7, Folds: 10, RunFolds: 10,
		Licence: "CC BY 4.0",
	},
	columns: append(categorical(
		"longitudinal position of the centre of buoyancy", "prismatic coefficient", "length-displacement ratio",
		"beam-draught ratio", "length-beam ratio", "Froude number",
	), continuous("residuary resistance")...),
	variants: []variant{{
		digest: "7196b0a0917f825372cb00166934b4fabf076e225239ac4c005b3158ca84ec1f",
		files: []File{{
			Name:     "yacht_hydrodynamics.data",
			MaxBytes: 11487,
			Rows:     308,
			URLs:     []string{uci + "00243/yacht_hydrodynamics.data"},
			SHA256:   []string{"00dfecc0fc01ddd4c90b558a3ac11b246df8ebcfea130724223475a9a67f0ea1"},
			parse:    text{separator: ' '}.parse,
		}},
	}},
}
