package dataset

// Problem is what is to be predicted.
type Problem uint8

const (
	Regression Problem = iota
	Binary
	MultiClass
)

func (t Problem) String() string { return [...]string{"regression", "binary", "multiclass"}[t] }

// Classification reports whether the target is a class.
func (t Problem) Classification() bool { return t != Regression }

// An Info is what is known of a data set before its file is opened. Counts are those of the complete published table.
type Info struct {
	Name    string // as in sweeps, records and reports: "boston-housing"
	Title   string // as printed: "Boston Housing"
	Problem Problem
	Rows    int
	Target  int // index of the target among all columns
	Columns int // number of columns, target included
	Classes int // 0 for regression

	// FlagsStay: in the official code the flags of missing entries stay in the order of the file while splits move the rows. So it is on Kick,
	// the only one of the paper's tables with any.
	FlagsStay bool

	Categorical int // number of categorical columns, target left out

	// Splitting, section 2 of the paper's protocol. Folds is both the number of folds that are cut and, as 1/Folds, the
	// share of test rows; RunFolds how many of them are run (10 of 10 for the small tables, 1 of 5 for the others).
	Folds    int
	RunFolds int
	TestAt   int // first row of a fixed test set, which reaches to the end; 0: test rows are drawn, as in a subset without them

	Groups string // of a data set of one's own: the column of the file whose values say which rows folds keep together; empty: none
	Parts  string // likewise: the column that says whether a row is for training, validation or test (then Folds is 1); empty: none

	Copies *Copies // of a semi-synthetic data set: each row of a task has one among the training rows; nil: none

	Licence string
}

// Copies make the semi-synthetic tasks of the paper's section 4.2: the training rows get a copy of every row, test rows
// included, with its target. Who finds the copy of a row can look its target up.
type Copies struct {
	RandomFeatures int     // so many features, the last ones, are N(1, 1) instead, drawn anew for rows and copies
	Add            float64 // to the targets of copies, in standard deviations

	// Flagged says that features are random in copies alone, and flagged there as missing: so the paper's code makes them.
	Flagged bool

	// AnyColumn says that the target of a row can be any column, and is drawn for each: appendix B.1.2. The table has continuous
	// columns alone and no missing entries.
	AnyColumn bool
}

// AnyColumn reports whether rows differ in the column that is their target.
func (i Info) AnyColumn() bool { return i.Copies != nil && i.Copies.AnyColumn }

// A File is one file of a data set, in the folder of that name.
type File struct {
	Name   string // a gzip file of this name plus ".gz" serves as well
	Rows   int
	URLs   []string // addresses of the file, or of its gzip form, the first one that answers is taken; empty: see Manual
	OpenML int      // number of the OpenML data set whose file this is; its address is asked for there
	// MaxBytes is the size of the content, uncompressed, or a bound on it where its exact form is not known. A download of more
	// is given up.
	MaxBytes int64
	Manual   string   // where to get a file that no program may fetch
	SHA256   []string // of contents known to be right, uncompressed
	Gzip     []string // SHA-256 of gzip files whose content is known to be right
	parse    parser
}
