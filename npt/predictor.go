package npt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/gomlx/compute"

	"nptbench/internal/dataset"
	"nptbench/internal/seed"
	"nptbench/internal/spelling"
	"nptbench/internal/weights"
)

// From a frame to predictions: Fit and Predictor.Predict. They encode the columns, hold rows out for validation, and undo the
// standardisation of predictions; who has encoded data works with Table, Trainer and Model.

// A Predictor predicts the target of rows from their features and from the rows that it was fitted on, which it keeps as context: from
// their features, and where it was trained with a TargetMask below 1 from their targets, too. Goroutines may use it at the same time.
type Predictor struct {
	// ValidationLoss is the loss of the weights that were kept on the rows that Fit held out, by which settings can be chosen: the mean
	// squared error of the standardised target, or the negative log-likelihood of its class.
	ValidationLoss float64

	model   *Model
	context *Table // all rows are training or validation rows
	order   []int  // the row of the frame that each of them was
	columns []frameColumn
	target  int
}

// Model is the trained network, for its Attention, say. Table makes tables for it.
func (p *Predictor) Model() *Model { return p.model }

// Target is the name of the column that is predicted.
func (p *Predictor) Target() string { return p.columns[p.target].Name }

// Classes are those of the target, in order; nil where it is one of numbers.
func (p *Predictor) Classes() []string { return slices.Clone(p.columns[p.target].Classes) }

// Categories are those that a column had in the rows of the fit, in order; nil where it is one of numbers, or there is none of that name.
func (p *Predictor) Categories(column string) []string {
	for _, c := range p.columns {
		if c.Name == column {
			return slices.Clone(c.Classes)
		}
	}
	return nil
}

// Features are the names of the columns that it is predicted from.
func (p *Predictor) Features() []string {
	var names []string
	for j, c := range p.columns {
		if j != p.target {
			names = append(names, c.Name)
		}
	}
	return names
}

// Close waits for the pass of a prediction that is being computed, then gives the memory of the weights back, that of a device at once. The
// predictor is of no more use then.
func (p *Predictor) Close() { p.model.Close() }

// A Prediction is that of one row.
type Prediction struct {
	Value         float64            // of a target of numbers, in its own units
	Class         string             // of a target of classes: the most probable one
	Probabilities map[string]float64 // of all classes
}

// FitOptions are further inputs of a fit.
type FitOptions struct {
	Backend  compute.Backend // nil: see NewTrainer
	Progress func(Progress)  // see Trainer

	// Checkpoint is a file, written about every minute and when ctx ends, from which the same fit goes on when it is called again: with
	// the same frame, target, configuration, validation rows and kind of backend; all else is an error, as is a file of an earlier version that
	// standardised features otherwise. It stays when the fit is done. Empty: there is none.
	Checkpoint string

	// Validation are the rows of the frame, counted from 0, that are for validation, so that rows which belong together, such as those of one
	// patient, can be kept together; all others are for training. A number that is no row's or comes twice is an error, as is an empty list,
	// or one of all rows. Nil: they are drawn.
	Validation []int

	// Warn, when set, is told what a fit goes on without: classes of the target that are in no validation row or, where Validation names them,
	// in no training row, and the first error that Checkpoint could not be written with, on a full disk, say.
	Warn func(error)
}

// Fit trains an NPT to predict a column from the others, on the best backend that there is here, with all cores. Columns whose values are all
// finite numbers are continuous but for those that f.Categories names, those of which at least half are not are categories, and what is in
// between is an error that names row, counted from 0, and field. A fifth of the rows (want five rows or more) are validation rows, drawn
// by c.Seed, which choose the step whose weights are kept. Each class of the target has a fifth of its rows among them, to within a
// row, rounded up first where it would have none. Of a class of two rows or more one at least is for training, and that of a class of one row.
// Numbers are standardised by training rows; those of features, with c.SemiSupervised, by validation rows, too.
//
// Memory grows with the square of the rows where c.BatchSize is 0: in each layer every row attends to every other. Where it runs out, as
// far as that is noticed (see ErrMemory), the fit is done once more with c.Recompute.
//
// When ctx ends after the first evaluation of the validation rows, the predictor with the best weights so far comes with the error of ctx.
//
// Errors, too: columns without a name or a value, names that come twice, rows of other lengths; numbers with commas, where all others of the
// column are numbers; features with more than 1000 categories, or another one in each of more than 20 rows, as names and ids have
// (Frame.Without leaves such columns out); a target that is missing in a row, is the same in all training rows, or has more classes than
// 1000 or than half the rows. Others are those of NewTrainer and Trainer.Train.
func Fit(ctx context.Context, f *Frame, target string, c Config) (*Predictor, error) {
	return FitWith(ctx, f, target, c, FitOptions{})
}

// FitWith is Fit on a backend, with reports of its progress, with a checkpoint, and with validation rows of one's choice.
func FitWith(ctx context.Context, f *Frame, target string, c Config, o FitOptions) (*Predictor, error) {
	f, err := f.check()
	if err != nil {
		return nil, fmt.Errorf("npt: %w", err)
	}
	if j := slices.Index(f.Names, ""); j >= 0 {
		return nil, fmt.Errorf("npt: column %d, counted from 0, has no name, as an index that was written with the table: leave it out, by Without(\"\"), or name it", j)
	}
	at := slices.Index(f.Names, target)
	if at < 0 {
		return nil, fmt.Errorf("npt: no column %q%s", target, spelling.Hint(target, f.Names))
	}
	if len(f.Names) == 1 {
		return nil, fmt.Errorf("npt: the only column is %s: want at least one to predict it from", target)
	}
	order, train, err := o.divide(f, at, c.Seed)
	if err != nil {
		return nil, err
	}
	p := &Predictor{target: at, order: order, context: &Table{Train: train, Val: len(order) - train}}
	for j, name := range f.Names {
		seen := train // rows whose values in this column training sees
		if c.SemiSupervised && j != at {
			seen = len(order)
		}
		column, err := newFrameColumn(f, j, order, seen)
		if err != nil {
			return nil, err
		}
		if j == at && column.Constant {
			return nil, fmt.Errorf("npt: %s is %q in all training rows: want at least two values to learn from", target, strings.TrimSpace(f.Rows[order[0]][at]))
		}
		if n := len(column.Classes); n == len(order) && n > dataset.MostNames {
			return nil, fmt.Errorf("npt: column %q has another text in each of the %d rows, as names and ids do: leave it out, by Without(%q)", name, n, name)
		}
		p.columns = append(p.columns, column)
		p.context.Columns = append(p.context.Columns, Column{Name: name, Categories: len(column.Classes), Target: j == at})
	}
	for _, i := range order {
		if err := p.encode(p.context, f.Rows[i]); err != nil {
			return nil, fmt.Errorf("npt: row %d: %w", i, err)
		}
	}
	if c.ClassBalancing && p.columns[at].Classes == nil {
		return nil, fmt.Errorf("npt: ClassBalancing: true, want false: %s is a column of numbers", target)
	}
	return withinMemory(c, func(c Config) (*Predictor, error) { return p.train(ctx, c, o) })
}

// divide returns the rows of a frame, those for training, which are counted, before those for validation.
func (o *FitOptions) divide(f *Frame, target int, of uint64) (order []int, train int, err error) {
	name, order := f.Names[target], make([]int, len(f.Rows))
	class := func(row int) string { return strings.TrimSpace(f.Rows[row][target]) }
	for i := range order {
		if noValue(class(i)) {
			return nil, 0, fmt.Errorf("npt: row %d has no %s", i, name)
		}
		order[i] = i
	}
	if len(order) < 5 {
		return nil, 0, fmt.Errorf("npt: %s, want at least 5, of which one is for validation", spelling.Count(len(order), "row"))
	}
	seed.Rand(of, "held out").Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	held, err := o.held(order)
	if err != nil {
		return nil, 0, err
	}
	train = len(order) - len(held)
	toEnd(order, held)
	column, err := newFrameColumn(f, target, order, train)
	if err != nil || column.Classes == nil {
		return order, train, err
	}
	if n := len(column.Classes); n > len(order)/2 {
		return nil, 0, fmt.Errorf("npt: %s has %d different texts in %d rows, such as %q in row 0: want numbers, or classes of at least two rows each", name, n,
			len(order), class(0))
	}
	if o.Validation == nil {
		toEnd(order, stratified(order, class))
	}
	if o.Warn != nil {
		warnOfClasses(o.Warn, column, order[:train], order[train:], class)
	}
	return order, train, nil
}

// held returns those of the rows, in a random order, that are for validation: those that Validation names, or the last fifth.
func (o *FitOptions) held(order []int) ([]int, error) {
	named, rows := o.Validation, len(order)
	if named == nil {
		return order[rows-rows/5:], nil
	}
	seen := make([]bool, rows)
	for _, i := range named {
		switch {
		case i < 0 || i >= rows:
			return nil, fmt.Errorf("npt: Validation: row %d, want one from 0 to %d", i, rows-1)
		case seen[i]:
			return nil, fmt.Errorf("npt: Validation: row %d comes twice, want each once", i)
		}
		seen[i] = true
	}
	switch len(named) {
	case 0:
		return nil, errors.New("npt: Validation: no row, want at least one, or nil for a fifth of all")
	case rows:
		return nil, fmt.Errorf("npt: Validation: all %d rows, want some left for training", rows)
	}
	return named, nil
}

// toEnd moves some of the rows behind the others, whose order stays, as does theirs.
func toEnd(order, some []int) {
	end := make([]int, len(order)) // 1: moves
	for _, i := range some {
		end[i] = 1
	}
	slices.SortStableFunc(order, func(i, j int) int { return end[i] - end[j] })
}

// stratified returns a fifth of the rows: of each class a fifth, to a row more or less, but never the only one.
func stratified(order []int, class func(row int) string) (held []int) {
	rows, share := map[string]int{}, map[string]int{}
	for _, i := range order {
		rows[class(i)]++
	}
	left := len(order) / 5
	for c, n := range rows {
		share[c] = n / 5
		left -= n / 5
	}
	classes := slices.SortedFunc(maps.Keys(rows), func(a, b string) int { // those without any, then those that rounding took most from
		return cmp.Or(cmp.Compare(min(share[a], 1), min(share[b], 1)), cmp.Compare(rows[b]%5, rows[a]%5), cmp.Compare(a, b))
	})
	for left > 0 { // once, but where many classes have one row; half of the rows at least are others of their class
		for _, c := range classes {
			if left > 0 && share[c] < rows[c]-1 {
				share[c]++
				left--
			}
		}
	}
	for _, i := range slices.Backward(order) {
		if c := class(i); share[c] > 0 {
			share[c]--
			held = append(held, i)
		}
	}
	return held
}

// warnOfClasses tells which classes of the target are in no training row, or in no validation row.
func warnOfClasses(warn func(error), target frameColumn, train, val []int, class func(row int) string) {
	missing := func(from []int, format string) {
		seen := map[string]bool{}
		for _, i := range from {
			seen[class(i)] = true
		}
		if without := slices.DeleteFunc(slices.Clone(target.Classes), func(c string) bool { return seen[c] }); len(without) > 0 {
			warn(fmt.Errorf(format, target.Name, without))
		}
	}
	missing(train, "npt: %s: no training row has one of the classes %q, which cannot be learnt: want one of each there")
	missing(val, "npt: %s: no validation row has one of the classes %q, of which ValidationLoss says nothing: want more rows of each, or some named in Validation")
}

// train trains the model on the context. It returns the predictor, which the end of ctx may leave with the best weights so far, or nil.
func (p *Predictor) train(ctx context.Context, c Config, o FitOptions) (*Predictor, error) {
	trainer, err := NewTrainer(p.context, c, o.Backend)
	if err != nil {
		return nil, err
	}
	defer func() {
		trainer.Close()
		ReturnMemory()
	}()
	trainer.Progress, trainer.Checkpoint = o.Progress, Checkpoint{Path: o.Checkpoint, Warn: o.Warn}
	if o.Checkpoint != "" {
		if err := trainer.LoadCheckpoint(o.Checkpoint); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	ended := trainer.Train(ctx)
	if ended != nil && (trainer.best == nil || !errors.Is(ended, ctx.Err())) {
		return nil, ended
	}
	p.ValidationLoss = trainer.bestLoss
	if p.model, err = trainer.Model(); err != nil {
		if ended != nil {
			err = fmt.Errorf("%w; %w", ended, err)
		}
		return nil, err
	}
	return p, ended
}

// passRows is how many rows are predicted in one pass at most, or as many as the fit had where these are more.
const passRows = 256

// Predict predicts the target of rows of a frame by the columns of its features, in any order; it may have others. The result has
// one prediction for each row. A category that no row of the fit had (see Categories) is no value, like "": the network has no input for
// it. What no value means it has learnt where features were masked or a column had gaps: with a FeatureMask of 0 no value in a column that
// had none missing adds arbitrary numbers to the row. Any number in a column that had but one in training counts as that one.
//
// Rows of the fit are predicted with their own target in sight where TargetMask is below 1: an error computed on them, training or
// validation rows, is too small.
//
// Rows that are asked for together see each other's features: another row beside it changes a prediction a little. A row with a number far
// from those of training, outside of them by more than they are apart, would change the others much, and is predicted without them, at the
// cost of a pass of its own over all rows of the fit. Together are at most as many rows as the fit had, or 256 where it had fewer, so that
// the memory of a pass is bounded; those behind them in the frame are predicted in another pass. With a BatchSize, the more rows there are
// in a pass, the fewer of the fitted ones each is predicted with (see Model.Predict), and they are at most so many that each batch has one.
// Each pass copies all rows of the fit: calls at the same time have such a copy each.
//
// A pass with another number of rows than those before it is compiled first, which on XLA takes seconds: a service should ask for the same
// number again and again.
//
// The error names the column that is missing, or the row, counted from 0, that has too few or too many fields, or a text or too large a
// number in a column of numbers; or it says that a BatchSize of 1 leaves no place for rows of the fit, or that the predictor is closed.
func (p *Predictor) Predict(ctx context.Context, f *Frame) ([]Prediction, error) {
	asked, err := p.ordered(f)
	if err != nil {
		return nil, err
	}
	out := make([]Prediction, len(asked))
	err = p.inPasses(asked, p.passes(asked), func(t *Table, of []int) error {
		rows, err := p.model.Predict(ctx, t)
		for k, row := range rows {
			out[of[k]] = p.prediction(row)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Impute returns a copy of a frame in which fields of features without a value ("", "?", NA or NaN) have the predicted one: a number in the
// column's units, to six digits, or the most probable category. In a column that was constant in training it is that value.
// The network has learnt to predict features where it was trained with a FeatureMask and a Tradeoff above 0; the weights are those that
// predict the target best. Rows see each other as for Predict, whose errors it has; a pass in which no row has a gap is left out.
func (p *Predictor) Impute(ctx context.Context, f *Frame) (*Frame, error) {
	if err := p.model.canImpute(); err != nil {
		return nil, err
	}
	asked, err := p.ordered(f)
	if err != nil {
		return nil, err
	}
	out := &Frame{Names: slices.Clone(f.Names), Rows: make([][]string, len(f.Rows)), Categories: slices.Clone(f.Categories)}
	for i, row := range f.Rows {
		out.Rows[i] = slices.Clone(row)
	}
	place := map[string]int{} // of the names in the frame
	for at, name := range f.Names {
		place[strings.TrimSpace(name)] = at
	}
	gaps := make([][]int, len(asked)) // columns
	for i, fields := range asked {
		for j, field := range fields {
			if j != p.target && noValue(strings.TrimSpace(field)) {
				gaps[i] = append(gaps[i], j)
			}
		}
	}
	passes := slices.DeleteFunc(p.passes(asked), func(of []int) bool {
		return !slices.ContainsFunc(of, func(i int) bool { return gaps[i] != nil })
	})
	err = p.inPasses(asked, passes, func(t *Table, of []int) error {
		full, err := p.model.impute(ctx, t, p.context.Rows())
		if err != nil {
			return err
		}
		for k, i := range of {
			at := (p.context.Rows() + k) * t.Channels()
			for j, c := range p.columns {
				width := p.context.Columns[j].width()
				if slices.Contains(gaps[i], j) {
					out.Rows[i][place[c.Name]] = c.text(full.Values[at : at+width])
				}
				at += width
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// inPasses calls do for passes of rows asked for: the test rows of a table are those whose numbers are in of.
func (p *Predictor) inPasses(asked [][]string, passes [][]int, do func(t *Table, of []int) error) error {
	rows, err := p.encoded(asked)
	if err != nil {
		return err
	}
	for _, of := range passes {
		if err := do(p.table(rows, of), of); err != nil {
			return err
		}
	}
	return nil
}

// passes are groups of rows that see each other when they are predicted. A row far from those of the fit is alone. Where rows attend to
// others, a group leaves a row of the fit for each batch (checkBatches).
func (p *Predictor) passes(asked [][]string) (passes [][]int) {
	rows, c := p.context.Rows(), p.model.net.Config
	most := max(passRows, rows)
	if c.BatchSize > 1 && c.lastBetween() >= 0 {
		most = min(most, rows*min(c.BatchSize-1, most))
	}
	var together []int
	for i, fields := range asked {
		if p.far(fields) {
			passes = append(passes, []int{i})
		} else {
			together = append(together, i)
		}
	}
	return slices.AppendSeq(passes, slices.Chunk(together, most))
}

// far reports whether some number of a row is far from those of the fit.
func (p *Predictor) far(fields []string) bool {
	for j, c := range p.columns {
		if c.far(fields[j]) {
			return true
		}
	}
	return false
}

// FitRows are the rows of the frame that Fit had, counted from 0, in the order in which Table has them; nil for a predictor from a file of
// an earlier version. Predict has their own target in sight where TargetMask is below 1: an error computed on them is too small.
func (p *Predictor) FitRows() []int { return slices.Clone(p.order) }

// Table is what Model computes with: the rows of the fit, training rows before validation rows (see FitRows), and those of a frame as test
// rows, in order. Errors are those of Predict.
func (p *Predictor) Table(f *Frame) (*Table, error) {
	asked, err := p.ordered(f)
	if err != nil {
		return nil, err
	}
	rows, err := p.encoded(asked)
	if err != nil {
		return nil, err
	}
	return p.table(rows, weights.Indices(len(asked))), nil
}

// ordered are the fields of the rows in the order of the columns of the fit, that of the target empty.
func (p *Predictor) ordered(f *Frame) ([][]string, error) {
	if f != nil { // which columns are categories the fit has decided
		f = &Frame{Names: f.Names, Rows: f.Rows}
	}
	f, err := f.check()
	if err != nil {
		return nil, fmt.Errorf("npt: %w", err)
	}
	place := make([]int, len(p.columns))
	for j, c := range p.columns {
		if place[j] = slices.Index(f.Names, c.Name); place[j] < 0 && j != p.target {
			return nil, fmt.Errorf("npt: no column %q, which the training had%s", c.Name, spelling.Hint(c.Name, f.Names))
		}
	}
	rows := make([][]string, len(f.Rows))
	for i, fields := range f.Rows {
		rows[i] = make([]string, len(p.columns))
		for j, at := range place {
			if j != p.target {
				rows[i][j] = fields[at]
			}
		}
	}
	return rows, nil
}

// encoded has the values of rows, and which are missing, and nothing else.
func (p *Predictor) encoded(asked [][]string) (*Table, error) {
	var rows Table
	for i, fields := range asked {
		if err := p.encode(&rows, fields); err != nil {
			return nil, fmt.Errorf("npt: row %d: %w", i, err)
		}
	}
	return &rows, nil
}

// table has some of the encoded rows behind those of the fit.
func (p *Predictor) table(rows *Table, of []int) *Table {
	t := *p.context
	t.Columns, t.Test = slices.Clone(t.Columns), len(of)
	width, columns := t.Channels(), len(p.columns)
	var values []float32
	var missing []bool
	for _, i := range of {
		values = append(values, rows.Values[i*width:][:width]...)
		missing = append(missing, rows.Missing[i*columns:][:columns]...)
	}
	t.Values, t.Missing = slices.Concat(t.Values, values), slices.Concat(t.Missing, missing) // which may be most of the memory: allocated once
	return &t
}

// prediction is what the network gives for a row, in the target's units.
func (p *Predictor) prediction(row []float64) Prediction {
	c := p.columns[p.target]
	if c.Classes == nil {
		return Prediction{Value: row[0]*c.Std + c.Mean}
	}
	out := Prediction{Class: c.Classes[slices.Index(row, slices.Max(row))], Probabilities: map[string]float64{}}
	for class, name := range c.Classes {
		out.Probabilities[name] = row[class]
	}
	return out
}

// A predictorHeader describes a file with a Predictor: the table is what it keeps as context.
type predictorHeader struct {
	Config  Config
	Table   Table
	Columns []frameColumn
	Target  int
	Loss    float64
	Order   []int // none in files of earlier versions
}

// Save writes the predictor to a file, which is replaced as a whole, and makes its folder if it is not there. The rows that it was fitted
// on are in the file, since it predicts from them.
func (p *Predictor) Save(path string) error {
	h := predictorHeader{p.model.net.Config, *p.context, p.columns, p.target, p.ValidationLoss, p.order}
	return p.model.save(path, "predictor", h)
}

// LoadPredictor reads a predictor that Save wrote. Its predictions are those of the one that was saved, bit for bit on the same backend
// and kind of processor. Backends are as for LoadModel.
func LoadPredictor(path string, backend compute.Backend) (*Predictor, error) {
	var h predictorHeader
	m, err := loadModel(path, "predictor", backend, &h, func() (Config, []Column, error) {
		err := h.Table.check()
		if columns := len(h.Table.Columns); err == nil && (len(h.Columns) != columns || h.Target < 0 || h.Target >= columns || h.Table.Test != 0 || h.Order != nil && len(h.Order) != h.Table.Rows()) {
			err = errors.New("damaged: its header contradicts itself")
		}
		return h.Config, h.Table.Columns, err
	})
	if err != nil {
		return nil, err
	}
	return &Predictor{h.Loss, m, &h.Table, h.Order, h.Columns, h.Target}, nil
}
