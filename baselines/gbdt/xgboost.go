package gbdt

import (
	"fmt"
	"math"
	"strconv"
)

// readXGBoost rewrites a model that XGBoost 1.6 or newer saved as Universal Binary JSON.
//
// XGBoost goes left when feature < threshold, both float32; for float32 features that is feature <= the float64 next
// below the threshold. It adds leaf values, which contain the learning rate, to the base score.
func readXGBoost(model []byte, features int, link link) (*ensemble, error) {
	document, err := decodeUBJSON(model)
	if err != nil {
		return nil, err
	}
	learner := document.object("learner")
	parameters := learner.object("learner_model_param")
	booster := learner.object("gradient_booster")
	if name := booster.text("name"); name != "gbtree" {
		return nil, fmt.Errorf("the booster is %q, want gbtree", name)
	}
	e := &ensemble{features: features, outputs: 1, link: link}
	if link == softmax {
		if e.outputs, err = strconv.Atoi(parameters.text("num_class")); err != nil || e.outputs < 2 {
			return nil, fmt.Errorf("num_class is %q", parameters.text("num_class"))
		}
	}
	trees := booster.object("model").list("trees")
	e.trees = make([]tree, len(trees))
	for i, v := range trees {
		object, _ := v.(ubjObject)
		if err := readXGBoostTree(object, &e.trees[i], features); err != nil {
			return nil, fmt.Errorf("tree %d: %w", i, err)
		}
	}
	base, err := strconv.ParseFloat(parameters.text("base_score"), 32)
	if err != nil {
		return nil, fmt.Errorf("base_score: %w", err)
	}
	return e, e.addToFirstTrees(repeat(xgboostMargin(base, link), e.outputs))
}

func readXGBoostTree(object ubjObject, t *tree, features int) error {
	nodes := binaryTree{left: object.int32s("left_children"), right: object.int32s("right_children"), feature: object.int32s("split_indices")}
	// At a leaf the split condition is the leaf's value.
	conditions, nanLeft := object.float32s("split_conditions"), object.bytes("default_left")
	n := len(nodes.left)
	if n == 0 || len(nodes.right) != n || len(nodes.feature) != n || len(conditions) != n || len(nanLeft) != n {
		return fmt.Errorf("missing or uneven arrays")
	}
	nodes.split = func(i int32) (float64, uint8) {
		decision := uint8(nanIsAsked)
		if nanLeft[i] != 0 {
			decision |= nanGoesLeft
		}
		return math.Nextafter(float64(conditions[i]), math.Inf(-1)), decision
	}
	nodes.value = func(i int32) float64 { return float64(conditions[i]) }
	return nodes.copyTo(t, features)
}

// xgboostMargin turns the base score, which is saved as a prediction, into a raw score.
func xgboostMargin(base float64, link link) float64 {
	if link == logistic {
		return -math.Log(1/base - 1)
	}
	return base
}

func repeat(v float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}
