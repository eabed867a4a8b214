package gbdt

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// parseModel reads a boosted ensemble in LightGBM's text format, version 2, 3 or 4. Averaged ensembles (random forests) and
// linear trees are refused. It checks all that prediction relies on: that the nodes of every tree really form a tree over the
// model's features, with as many leaves as it says. An error says what the text has and what would be right.
func parseModel(text []byte) (*Model, error) {
	head, body, ok := bytes.Cut(text, []byte("\n\n"))
	if !ok || !bytes.HasPrefix(head, []byte("tree\n")) {
		return nil, errors.New(`not a LightGBM text model: it does not begin with "tree" and a header`)
	}
	header := keyValues(string(head))
	if v := header["version"]; v != "v2" && v != "v3" && v != "v4" {
		return nil, fmt.Errorf("LightGBM text of version %q is not supported, want v2, v3 or v4 (LightGBM 2 to 4 write it)", v)
	}
	if _, ok := header["average_output"]; ok {
		return nil, errors.New("average_output: random forests are not supported, want a boosted ensemble")
	}
	m := &Model{names: strings.Fields(header["feature_names"])}
	var err error
	if m.Outputs, err = strconv.Atoi(header["num_class"]); err != nil || m.Outputs < 1 {
		return nil, fmt.Errorf("num_class is %q, want a positive number", header["num_class"])
	}
	if n := header["num_tree_per_iteration"]; n != header["num_class"] {
		return nil, fmt.Errorf("num_tree_per_iteration is %q, want num_class (%d)", n, m.Outputs)
	}
	last, err := strconv.Atoi(header["max_feature_idx"])
	if err != nil || last < 0 || last >= math.MaxInt32 {
		return nil, fmt.Errorf("max_feature_idx is %q, want a number >= 0", header["max_feature_idx"])
	}
	m.Features = last + 1
	if m.link, err = parseObjective(header["objective"], m.Outputs); err != nil {
		return nil, err
	}
	if err := m.parseTrees(string(body), len(strings.Fields(header["tree_sizes"]))); err != nil {
		return nil, err
	}
	m.Origin, err = parseOrigin(header[originKey], m.Predictions())
	if err != nil {
		return nil, err
	}
	return m, nil
}

// keyValues reads lines of the form key=value.
func keyValues(text string) map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		values[key] = value
	}
	return values
}

// parseTrees reads as many trees as the header announces.
func (m *Model) parseTrees(body string, announced int) error {
	body, _, complete := strings.Cut(body, "end of trees")
	texts := strings.Split(body, "Tree=")[1:]
	if !complete || len(texts) != announced {
		return fmt.Errorf(`the text is incomplete: %d trees, want %d and then "end of trees"`, len(texts), announced)
	}
	if announced == 0 || announced%m.Outputs != 0 {
		return fmt.Errorf("%d trees, want a positive multiple of num_class (%d)", announced, m.Outputs)
	}
	m.trees = make([]tree, len(texts))
	for i, text := range texts {
		if err := m.trees[i].parse(&treeParser{lines: keyValues(text)}, m.Features); err != nil {
			return fmt.Errorf("tree %d: %w", i, err)
		}
	}
	return nil
}

// parse makes one tree of what the parser has read.
func (t *tree) parse(p *treeParser, features int) error {
	if linear := p.lines["is_linear"]; linear != "" && linear != "0" {
		return errors.New("linear trees are not supported, want constant leaves")
	}
	leaves := p.int("num_leaves", 1, len(p.lines["leaf_value"]))
	t.leaf = p.floats("leaf_value", leaves)
	if leaves > 1 {
		splits := leaves - 1
		t.feature = ints[int32](p, "split_feature", splits, 0, features-1)
		t.threshold = p.floats("threshold", splits)
		t.left = ints[int32](p, "left_child", splits, -leaves, splits-1)
		t.right = ints[int32](p, "right_child", splits, -leaves, splits-1)
		t.decision = ints[uint8](p, "decision_type", splits, 0, math.MaxUint8)
		if n := p.int("num_cat", 0, splits); n > 0 {
			t.parseCategories(p, n)
		}
	}
	if p.err != nil {
		return p.err
	}
	return t.check()
}

// parseCategories reads the sets of categories that go left: entries boundaries[i] to boundaries[i+1] of one list are set i.
func (t *tree) parseCategories(p *treeParser, sets int) {
	boundaries := ints[int32](p, "cat_boundaries", sets+1, 0, math.MaxInt32)
	if p.err != nil {
		return
	}
	words := ints[uint32](p, "cat_threshold", int(boundaries[sets]), 0, math.MaxUint32)
	for i := range sets {
		from, to := boundaries[i], boundaries[i+1]
		if from > to || int(to) > len(words) {
			p.fail("cat_boundaries", fmt.Sprintf("%d to %d", from, to), fmt.Sprintf("ascending numbers up to %d", len(words)))
			return
		}
		t.categories = append(t.categories, words[from:to])
	}
}

// check makes sure that every node but the root, and every leaf, is the child of exactly one node, and that thresholds
// can be compared with. The lengths of the lists fit already.
func (t *tree) check() error {
	splits := len(t.feature)
	isChild := make([]bool, splits+len(t.leaf)) // the nodes, then the leaves
	for _, children := range [][]int32{t.left, t.right} {
		for i, c := range children {
			place := int(c)
			if c < 0 {
				place = splits + int(^c)
			} else if place <= i { // as LightGBM numbers nodes: so there is no ring
				return fmt.Errorf("child %d of node %d, want one behind it", c, i)
			}
			if isChild[place] {
				return fmt.Errorf("child %d belongs to two nodes", c)
			}
			isChild[place] = true
		}
	}
	for i, v := range t.threshold {
		if math.IsNaN(v) {
			return fmt.Errorf("the threshold of node %d is NaN, want a number", i)
		}
		if t.decision[i]&categorical != 0 && (v != math.Trunc(v) || v < 0 || v >= float64(len(t.categories))) {
			return fmt.Errorf("node %d asks for set %v of %d sets of categories", i, v, len(t.categories))
		}
	}
	return nil
}

// A treeParser reads the lists of a tree. After an error everything is zero.
type treeParser struct {
	lines map[string]string
	err   error
}

func (p *treeParser) fail(key, is, want string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s is %s, want %s", key, is, want)
	}
}

// int reads a number between bounds.
func (p *treeParser) int(key string, smallest, largest int) int {
	n, err := strconv.Atoi(p.lines[key])
	if err != nil || n < smallest || n > largest {
		p.fail(key, fmt.Sprintf("%q", p.lines[key]), fmt.Sprintf("a number from %d to %d", smallest, largest))
		return smallest
	}
	return n
}

// ints reads n numbers between bounds.
func ints[T int32 | uint32 | uint8](p *treeParser, key string, n, smallest, largest int) []T {
	return listOf(p, key, n, func(s string) (T, error) {
		v, err := strconv.Atoi(s)
		if err != nil || v < smallest || v > largest {
			return 0, fmt.Errorf("%s is %s, want %d to %d", key, s, smallest, largest)
		}
		return T(v), nil
	})
}

func (p *treeParser) floats(key string, n int) []float64 {
	return listOf(p, key, n, func(s string) (float64, error) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return 0, fmt.Errorf("%s is %s, want a number", key, s)
		}
		return v, nil
	})
}

// listOf reads the line key=1 2 3, of n entries.
func listOf[T any](p *treeParser, key string, n int, parse func(string) (T, error)) []T {
	if p.err != nil {
		return nil
	}
	line := p.lines[key]
	list := make([]T, 0, min(n, len(line)))
	for word := range strings.FieldsSeq(line) {
		v, err := parse(word)
		if err != nil {
			p.err = err
			return nil
		}
		list = append(list, v)
	}
	if len(list) != n {
		p.err = fmt.Errorf("%d entries of %s, want %d", len(list), key, n)
		return nil
	}
	return list
}

// text is the model in LightGBM's text format, version 3.
func (m *Model) text() []byte {
	if m.source != nil {
		return m.source
	}
	var body []byte
	sizes := make([]string, len(m.trees))
	for i := range m.trees {
		start := len(body)
		body = m.trees[i].append(body, i)
		sizes[i] = strconv.Itoa(len(body) - start)
	}
	var b bytes.Buffer
	b.Grow(len(body) + 8*len(sizes) + 64*m.Features + 1024)
	fmt.Fprintf(&b, "tree\nversion=v3\nnum_class=%d\nnum_tree_per_iteration=%d\nlabel_index=0\nmax_feature_idx=%d\nobjective=%s\n",
		m.Outputs, m.Outputs, m.Features-1, m.link.objective(m.Outputs))
	fmt.Fprintf(&b, "feature_names=%s\n", strings.Join(columnNames(m.Features), " "))
	fmt.Fprintf(&b, "feature_infos=%s\n", strings.TrimSpace(strings.Repeat("[-inf:inf] ", m.Features)))
	fmt.Fprintf(&b, "tree_sizes=%s\n\n", strings.Join(sizes, " "))
	b.Write(body)
	b.WriteString("end of trees\n")
	return b.Bytes()
}

func columnNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "Column_" + strconv.Itoa(i)
	}
	return names
}

func (t *tree) append(b []byte, index int) []byte {
	b = fmt.Appendf(b, "Tree=%d\nnum_leaves=%d\nnum_cat=0\n", index, len(t.leaf))
	if len(t.feature) > 0 {
		b = appendList(b, "split_feature", t.feature, appendInt)
		b = appendList(b, "threshold", t.threshold, appendFloat)
		b = appendList(b, "decision_type", t.decision, appendInt)
		b = appendList(b, "left_child", t.left, appendInt)
		b = appendList(b, "right_child", t.right, appendInt)
	}
	b = appendList(b, "leaf_value", t.leaf, appendFloat)
	return append(b, "shrinkage=1\n\n"...)
}

// appendList writes the line key=1 2 3.
func appendList[T any](b []byte, key string, values []T, appendValue func([]byte, T) []byte) []byte {
	b = append(append(b, key...), '=')
	for i, v := range values {
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendValue(b, v)
	}
	return append(b, '\n')
}

func appendInt[T int32 | uint8](b []byte, v T) []byte { return strconv.AppendInt(b, int64(v), 10) }

// appendFloat prints the shortest digits that read back as the same float64.
func appendFloat(b []byte, v float64) []byte { return strconv.AppendFloat(b, v, 'g', -1, 64) }
