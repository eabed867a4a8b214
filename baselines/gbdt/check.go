package gbdt

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// checkTree makes sure that a tree's nodes really form a tree over the model's features. Without that leaves could fail
// or never come to an end.
func checkTree(text []byte, features int) error {
	if bytes.Contains(text, []byte("\nis_linear=1")) {
		return errors.New("linear trees are not supported, want constant leaves")
	}
	numLeaves, err := intList(text, "num_leaves")
	if err != nil || len(numLeaves) != 1 || numLeaves[0] < 1 || numLeaves[0] > len(text) {
		return fmt.Errorf("num_leaves is %v, want one positive number", numLeaves)
	}
	if numLeaves[0] == 1 {
		return nil
	}
	splits := numLeaves[0] - 1
	asked, err := intList(text, "split_feature")
	if err != nil || len(asked) != splits {
		return fmt.Errorf("%d entries of split_feature, want %d", len(asked), splits)
	}
	for _, f := range asked {
		if f < 0 || f >= features {
			return fmt.Errorf("split_feature is %d, want 0 to %d", f, features-1)
		}
	}
	return checkChildren(text, splits)
}

// checkChildren makes sure that every node but the root, and every leaf, is the child of exactly one node.
func checkChildren(text []byte, splits int) error {
	isChild := make([]bool, 2*splits+1) // the nodes, then the leaves
	isChild[0] = true
	for _, key := range []string{"left_child", "right_child"} {
		children, err := intList(text, key)
		if err != nil || len(children) != splits {
			return fmt.Errorf("%d entries of %s, want %d", len(children), key, splits)
		}
		for _, c := range children {
			place := c
			if c < 0 {
				place = splits + ^c
			}
			if c >= splits || place >= len(isChild) || isChild[place] {
				return fmt.Errorf("%s has %d, which does not exist or is another node's child", key, c)
			}
			isChild[place] = true
		}
	}
	return nil
}

// intList reads the line key=1 2 3 of a tree.
func intList(text []byte, key string) ([]int, error) {
	_, rest, found := bytes.Cut(text, []byte("\n"+key+"="))
	if !found {
		return nil, fmt.Errorf("no %s", key)
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	list := make([]int, 0, bytes.Count(line, []byte(" "))+1)
	for field := range bytes.FieldsSeq(line) {
		n, err := strconv.Atoi(string(field))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		list = append(list, n)
	}
	return list, nil
}
