package dataset

// ColumnType is the type of a column.
type ColumnType uint8

const (
	Continuous ColumnType = iota
	Categorical
)

func (t ColumnType) String() string { return [...]string{"number", "category"}[t] }

// A Column holds the raw values of one column, before any encoding.
//
// Continuous values are held in F32 when every value of the column survives the conversion to float32 exactly, and in
// F64 otherwise, so that nothing is lost and the eleven million rows of Higgs still fit; exactly one of the two is set.
// Categorical values are Codes into Categories. The value of a missing entry is zero and means nothing.
type Column struct {
	Name       string
	Type       ColumnType
	Categories []string // categorical: the distinct non-missing values, ascending (numerically when all are numbers)
	Codes      []uint16
	F32        []float32
	F64        []float64
	Missing    []bool // nil when nothing is missing in this column
}

// Float returns the value of a continuous column in the given row.
func (c *Column) Float(row int) float64 {
	if c.F32 != nil {
		return float64(c.F32[row])
	}
	return c.F64[row]
}

// IsMissing reports whether the entry of the given row is missing.
func (c *Column) IsMissing(row int) bool { return c.Missing != nil && c.Missing[row] }

// A Table is a data set in memory: raw typed columns, in the order of the paper's code, target included.
type Table struct {
	Info    Info
	Columns []Column
	Groups  []uint16 // of every row, from 0 without gaps: those of one are kept together by folds; nil: rows are free
	Parts   []uint16 // of every row, TestPart, TrainPart or ValPart, where the split is given; nil: rows are drawn
	Rows    int
	Digest  string // hex SHA-256 over names, kinds, categories, values, groups or parts, and rule, the same whatever file format these came from
	Check   Check  // how far this has been compared with the published table
	Subset  string // empty, or what part of the published table this is, as a noun phrase for footnotes
}

// What Table.Parts says of a row.
const (
	TestPart uint16 = iota
	TrainPart
	ValPart
)

// partNames has the words for them in files, in ascending order.
var partNames = []string{"test", "train", "val"}

// Target returns the target column.
func (t *Table) Target() *Column { return &t.Columns[t.Info.Target] }

// Labels returns the class index of every row of a classification table.
func (t *Table) Labels() []uint16 { return t.Target().Codes }
