package command

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"nptbench/internal/method"
	"nptbench/internal/spelling"
	"nptbench/internal/task"
)

// A description is the content of task.json.
type description struct {
	Problem  string                `json:"problem"`  // "regression", "binary" or "multiclass"
	Classes  int                   `json:"classes"`  // 0 for regression
	Features []task.FeatureColumns `json:"features"` // in the files *_x.csv
	Params   map[string]any        `json:"params"`
	Seed     uint64                `json:"seed"` // of this fold and setting, below 2^31; the same when the program changes
	Threads  int                   `json:"threads"`
	Rows     map[string]int        `json:"rows"` // of "train", "val" and "test"
}

// write fills the folder with what a command may see.
func write(dir string, t *task.Task, params map[string]any, seed uint64) error {
	d := description{
		Problem: t.Info.Problem.String(), Classes: t.Info.Classes, Params: params, Seed: seed, Threads: max(1, t.Threads),
		Rows: map[string]int{"train": t.Train, "val": t.Val, "test": t.Test}, Features: t.FeatureColumns(0),
	}
	columns, features := t.ColumnNames(), make([]string, len(t.Features))
	for i, f := range t.Features {
		features[i] = f.Name
	}
	text, err := json.MarshalIndent(d, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "task.json"), append(text, '\n'), 0o666)
	}
	if err != nil {
		return err
	}
	x := func(b []byte, i int) []byte { return strconv.AppendFloat(b, float64(t.X[i]), 'g', -1, 32) }
	y := func(b []byte, i int) []byte {
		if t.Info.Problem.Classification() {
			return strconv.AppendUint(b, uint64(t.Labels[i]), 10)
		}
		return strconv.AppendFloat(b, t.Y[i], 'g', -1, 64)
	}
	first := 0
	for _, part := range []struct {
		name string
		rows int
	}{{"train", t.Train}, {"val", t.Val}, {"test", t.Test}} {
		if err := writeTable(filepath.Join(dir, part.name+"_x.csv"), columns, first, part.rows, x); err != nil {
			return err
		}
		if t.Missing != nil {
			missing := func(b []byte, i int) []byte {
				if t.Missing[i] {
					return append(b, '1')
				}
				return append(b, '0')
			}
			if err := writeTable(filepath.Join(dir, part.name+"_missing.csv"), features, first, part.rows, missing); err != nil {
				return err
			}
		}
		if part.name != "test" {
			if err := writeTable(filepath.Join(dir, part.name+"_y.csv"), []string{"target"}, first, part.rows, y); err != nil {
				return err
			}
		}
		first += part.rows
	}
	if t.Groups == nil {
		return nil
	}
	group := func(b []byte, i int) []byte { return strconv.AppendUint(b, uint64(t.Groups[i]), 10) }
	return writeTable(filepath.Join(dir, "train_groups.csv"), []string{"group"}, 0, t.Train, group)
}

// writeTable writes rows of a row-major table, of which value appends one number to a text, below the names of its columns.
func writeTable(path string, columns []string, first, rows int, value func(b []byte, i int) []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<16)
	header := csv.NewWriter(w)
	err = header.Write(columns)
	header.Flush()
	var b []byte
	for row := first; row < first+rows; row++ {
		b = b[:0]
		for i := range columns {
			b = append(value(b, row*len(columns)+i), ',')
		}
		b[len(b)-1] = '\n'
		w.Write(b) // Flush has the error
	}
	return cmp.Or(err, header.Error(), w.Flush(), f.Close())
}

// separated is a field of several numbers.
var separated = regexp.MustCompile(`^[-+0-9.][-+0-9.eE]*[ \t;]`)

// missing is the error of a file that the command should have written.
type missing struct{ name string }

func (m *missing) Error() string {
	return "the command ended without an error and has written no " + m.name
}
func (m *missing) Unwrap() error { return fs.ErrNotExist }

// read reads the predictions for a part of the rows. Errors name the file and the line.
func read(dir, part string, rows, outputs int) (method.Prediction, error) {
	name := part + "_predicted.csv"
	f, err := os.Open(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &missing{name}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := make(method.Prediction, 0, rows*outputs)
	lines := bufio.NewScanner(f)
	longest := bufio.MaxScanTokenSize + 32*outputs // a number as NumPy writes it takes 25 characters
	lines.Buffer(nil, longest)
	for n := 1; lines.Scan(); n++ {
		wrong := func(format string, args ...any) (method.Prediction, error) {
			return nil, fmt.Errorf("%s:%d: "+format, append([]any{name, n}, args...)...)
		}
		text := lines.Text()
		if n == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if n > rows {
			return wrong("one line too many, want one for each of the %d rows", rows)
		}
		fields := strings.Split(text, ",")
		for _, field := range fields {
			field = strings.TrimSpace(field)
			x, err := strconv.ParseFloat(field, 64)
			switch {
			case err != nil && separated.MatchString(field):
				return wrong("%.40q is not a number (numbers of a line are separated by commas)", field)
			case err != nil && n == 1:
				return wrong("%.40q is not a number (there is to be no line of names)", field)
			case err != nil:
				return wrong("%.40q is not a number", field)
			case math.IsNaN(x) || math.IsInf(x, 0):
				return wrong("the prediction is %v: %w", x, method.ErrDiverged)
			}
			p = append(p, x)
		}
		switch {
		case len(fields) != outputs && outputs == 1:
			return wrong("%d numbers, want 1", len(fields))
		case len(fields) != outputs:
			return wrong("%s, want a probability for each of the %d classes, also for one that no training row has", spelling.Count(len(fields), "number"), outputs)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s: a line is longer than %d characters, want a line for each row", name, longest)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if got := len(p) / outputs; got < rows {
		return nil, fmt.Errorf("%s:%d: the file ends, want a line for each of the %d rows", name, got+1, rows)
	}
	return p, nil
}
