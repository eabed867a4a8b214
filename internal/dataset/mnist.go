package dataset

import "strconv"

// The columns are those of OpenML mnist_784: pixels row by row, the digit last; training images first, then test images.
var mnist = &source{
	Info: Info{
		Name: "mnist", Title: "MNIST", Problem: MultiClass, Rows: 70000, Target: 784, Columns: 785, Classes: 10, Folds: 5,
		RunFolds: 1, Licence: "CC BY-SA 3.0 (LeCun, Cortes)",
	},
	columns: mnistColumns(),
	variants: []variant{{
		digest:    "08fb1cb754a1a7a0c9870e460bbf79fce6e7fe9299002f12d6dcbcd78b13de5b",
		testAt:    60000,
		classRows: []int{6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958},
		files: []File{
			mnistFile("train-images-idx3-ubyte", 60000, 16+784*60000, parseIDXImages,
				"ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
				"440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
				"0b367032e93c5d0cea0925647cfdb18614af8ee15f83e6f2fc2ad904a6835971"),
			mnistFile("train-labels-idx1-ubyte", 60000, 8+60000, parseIDXLabels,
				"65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
				"3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"),
			mnistFile("t10k-images-idx3-ubyte", 10000, 16+784*10000, parseIDXImages,
				"0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
				"8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"),
			mnistFile("t10k-labels-idx1-ubyte", 10000, 8+10000, parseIDXLabels,
				"ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
				"f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"),
		},
	}},
}

func mnistFile(name string, rows int, bytes int64, parse parser, sha256 string, gzip ...string) File {
	return File{
		Name: name,
		Rows: rows, MaxBytes: bytes,
		URLs: []string{
			"https://ossci-datasets.s3.amazonaws.com/mnist/" + name + ".gz",
			"https://storage.googleapis.com/cvdf-datasets/mnist/" + name + ".gz",
			"http://yann.lecun.com/exdb/mnist/" + name + ".gz",
		},
		SHA256: []string{sha256},
		Gzip:   gzip,
		parse:  parse,
	}
}

func mnistColumns() []columnSpec {
	specs := make([]columnSpec, 784)
	for i := range specs {
		specs[i].name = "pixel" + strconv.Itoa(i+1)
	}
	return append(specs, levels("digit", numerals(0, 10)...))
}
