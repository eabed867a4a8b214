package gbdt

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dmitryikh/leaves"

	"nptbench/internal/filesystem"
)

// keep saves the model, if that can be written, after making sure that leaves, for which anybody may want it, predicts the same numbers
// by it. A full disk is an error, at which the run ends: after a record nobody would fit the model again.
func (f *fit) keep(m *Model) error {
	text := f.origin.addTo(m.text())
	x := f.unseen()[:min(f.task.Val+f.task.Test, keptRows)*m.Features]
	ours, err := m.rawScores(context.Background(), x, []int{m.Iterations()}, 1)
	if err != nil {
		return err
	}
	theirs, err := leavesScores(text, x, m.Features, m.Iterations())
	if err != nil {
		return err
	}
	if !slices.Equal(ours[0], theirs) {
		return errors.New("leaves predicts other numbers by the model's text")
	}
	err = f.save(filepath.Join(f.task.ModelDir, f.origin.fileName()), text)
	if filesystem.IsFull(err) {
		return err
	}
	f.unkept = err
	return nil
}

// keptRows is how many rows leaves predicts before a model is kept.
const keptRows = 64

// leavesScores has leaves predict raw scores of rows by the first trees of a LightGBM text model.
func leavesScores(text []byte, x []float32, features, iterations int) (scores []float64, err error) {
	defer func() {
		if r := recover(); r != nil { // leaves does not check the lengths of a tree's lists
			err = fmt.Errorf("leaves: damaged model: %v", r)
		}
	}()
	e, err := leaves.LGEnsembleFromReader(bufio.NewReader(bytes.NewReader(text)), false)
	if err != nil {
		return nil, fmt.Errorf("leaves: %w", err)
	}
	rows := len(x) / features
	scores = make([]float64, rows*e.NRawOutputGroups())
	wide := make([]float64, len(x))
	for i, v := range x {
		wide[i] = float64(v)
	}
	if err := e.PredictDense(wide, rows, features, scores, iterations, 1); err != nil {
		return nil, fmt.Errorf("leaves: %w", err)
	}
	return scores, nil
}

// saveModel writes compressed model text, atomically.
func saveModel(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return filesystem.WriteFile(file, func(w io.Writer) error {
		z := gzip.NewWriter(w)
		if _, err := z.Write(text); err != nil {
			return err
		}
		return z.Close()
	})
}

// maxRatio is how many times its size a large file may unpack to; what is made to fill the memory has a thousand.
const maxRatio = 64

// LoadModel reads a model from a file of LightGBM text; a name that ends in .gz means that it is compressed.
func LoadModel(file string) (*Model, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	limit := 64<<20 + maxRatio*info.Size()
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("%s: it unpacks to more than %d times its size: not a model", file, maxRatio)
	}
	m, err := parseModel(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}
