package gbdt

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dmitryikh/leaves"
)

// A Model is a boosted ensemble that was read from LightGBM text and can predict. It is safe for concurrent use.
type Model struct {
	Features int    // columns that it was fitted on
	Outputs  int    // raw scores per row: the number of classes from three classes on, else 1
	Origin   Origin // where it comes from; zero for models that this package did not write

	link link
	// One leaves ensemble per iteration. Predictions go through them one by one, each over a block of rows: a tree and
	// the block stay in the processor's cache, the sums for all tree counts come out of one pass, and scores are added
	// in the order in which the libraries add them.
	steps []*leaves.Ensemble
}

// Iterations is the number of boosting iterations, each of Outputs trees.
func (m *Model) Iterations() int { return len(m.steps) }

// Predictions is the number of numbers that Predict gives for a row: 1 for regression, else the number of classes.
func (m *Model) Predictions() int { return m.link.predictions(m.Outputs) }

// ParseModel reads a boosted ensemble in LightGBM's text format, version 2 or 3. Averaged ensembles (random forests) and
// linear trees are refused. An error says what the text has and what would be right.
func ParseModel(text []byte) (*Model, error) { return parseModel(text, checkTree) }

// parseModel has every tree checked before leaves sees it: leaves takes for granted that a tree is one.
func parseModel(text []byte, check func(tree []byte, features int) error) (*Model, error) {
	head, body, ok := bytes.Cut(text, []byte("\n\n"))
	if !ok || !bytes.HasPrefix(head, []byte("tree\n")) {
		return nil, errors.New(`not a LightGBM text model: it does not begin with "tree" and a header`)
	}
	header := keyValues(head)
	if v := header["version"]; v != "v2" && v != "v3" {
		return nil, fmt.Errorf("LightGBM text of version %q is not supported, want v2 or v3 (LightGBM 2 or 3 writes it)", v)
	}
	if _, ok := header["average_output"]; ok {
		return nil, errors.New("average_output: random forests are not supported, want a boosted ensemble")
	}
	m := &Model{}
	var err error
	if m.Outputs, err = strconv.Atoi(header["num_class"]); err != nil || m.Outputs < 1 {
		return nil, fmt.Errorf("num_class is %q, want a positive number", header["num_class"])
	}
	if n := header["num_tree_per_iteration"]; n != header["num_class"] {
		return nil, fmt.Errorf("num_tree_per_iteration is %q, want num_class (%d)", n, m.Outputs)
	}
	last, err := strconv.Atoi(header["max_feature_idx"])
	if err != nil || last < 0 {
		return nil, fmt.Errorf("max_feature_idx is %q, want a number >= 0", header["max_feature_idx"])
	}
	m.Features = last + 1
	if m.link, err = parseObjective(header["objective"], m.Outputs); err != nil {
		return nil, err
	}
	if m.Origin, err = parseOrigin(header[originKey], m.Predictions()); err != nil {
		return nil, err
	}
	return m, m.readTrees(body, len(strings.Fields(header["tree_sizes"])), check)
}

// keyValues reads lines of the form key=value.
func keyValues(text []byte) map[string]string {
	values := map[string]string{}
	for line := range bytes.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(string(line)), "=")
		values[key] = value
	}
	return values
}

// readTrees hands the trees to leaves, one iteration at a time.
func (m *Model) readTrees(body []byte, announced int, check func([]byte, int) error) error {
	body, _, complete := bytes.Cut(body, []byte("end of trees"))
	trees := bytes.Split(body, []byte("Tree="))[1:]
	if !complete || len(trees) != announced {
		return fmt.Errorf(`the text is incomplete: %d trees, want %d and then "end of trees"`, len(trees), announced)
	}
	if announced == 0 || announced%m.Outputs != 0 {
		return fmt.Errorf("%d trees, want a positive multiple of num_class (%d)", announced, m.Outputs)
	}
	head := fmt.Appendf(nil, "tree\nversion=v3\nnum_class=%d\nnum_tree_per_iteration=%[1]d\nmax_feature_idx=%d\ntree_sizes=%s\n\n",
		m.Outputs, m.Features-1, strings.Repeat("0 ", m.Outputs-1)+"0")
	var text []byte
	var reader bufio.Reader
	for iteration := range slices.Chunk(trees, m.Outputs) {
		text = append(text[:0], head...)
		for i, tree := range iteration {
			if err := check(tree, m.Features); err != nil {
				return fmt.Errorf("tree %d: %w", len(m.steps)*m.Outputs+i, err)
			}
			text = append(append(append(text, "Tree="...), bytes.TrimSpace(tree)...), "\n\n"...)
		}
		reader.Reset(bytes.NewReader(text))
		step, err := readLeaves(&reader)
		if err != nil {
			return fmt.Errorf("iteration %d: %w", len(m.steps), err)
		}
		m.steps = append(m.steps, step)
	}
	return nil
}

func readLeaves(r *bufio.Reader) (e *leaves.Ensemble, err error) {
	defer func() {
		if r := recover(); r != nil { // leaves does not check the lengths of a tree's lists
			err = fmt.Errorf("damaged tree: %v", r)
		}
	}()
	return leaves.LGEnsembleFromReader(r, false)
}
