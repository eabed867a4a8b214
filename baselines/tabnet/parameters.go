package tabnet

import (
	"fmt"
	"math"

	"nptbench/internal/weights"
)

// columns says how rows are encoded: numeric features first, then categorical ones.
type columns struct {
	Numeric    int
	Categories []int // of every categorical feature
	Classes    int   // of the target; 0: it is a number
}

// features is the number of features: a category is embedded as one number.
func (c *columns) features() int { return c.Numeric + len(c.Categories) }

// outputs is what the network predicts for a row: a number, or the logits of classes.
func (c *columns) outputs() int { return max(c.Classes, 1) }

// allCategories counts the categories of all features, whose embeddings are one table.
func (c *columns) allCategories() (sum int) {
	for _, n := range c.Categories {
		sum += n
	}
	return sum
}

// width is that of a layer of a feature transformer.
func (c *config) width() int { return c.Decision + c.Attention }

// blocks names the feature transformers: the one before the first step, and those of the steps.
func (c *config) blocks() []string {
	names := []string{"split"}
	for step := range c.Steps {
		names = append(names, stepName(step))
	}
	return names
}

func stepName(step int) string             { return fmt.Sprintf("step%d", step) }
func layerName(block string, i int) string { return fmt.Sprintf("%s.layer%d", block, i) }

// matrixName is that of the matrix of a layer.
func (c *config) matrixName(block string, i int) string {
	if i < c.Shared {
		return fmt.Sprintf("shared%d.weight", i)
	}
	return layerName(block, i) + ".weight"
}

// A normalised is something that is normalised over batches.
type normalised struct {
	name  string
	width int
}

// listNorms lists them in the order of the forward pass: the features first, over whole batches, then the others, over virtual
// ones.
func listNorms(c *config, columns *columns) []normalised {
	norms := []normalised{{"features", columns.features()}}
	for i, block := range c.blocks() {
		if i > 0 {
			norms = append(norms, normalised{block + ".mask", columns.features()})
		}
		for layer := range c.Shared + c.Independent {
			norms = append(norms, normalised{layerName(block, layer), 2 * c.width()})
		}
	}
	return norms
}

// listParams lists the weights. Matrices are (outputs x inputs), without biases. Their entries begin normally distributed, with
// deviations by the number of inputs alone.
func listParams(c *config, columns *columns) (params []weights.Param) {
	matrix := func(name string, out, in int, gain float64) {
		params = append(params, weights.Param{Name: name, Dims: []int{out, in}, Init: weights.Normal, Std: gain / math.Pow(float64(in), 0.25)})
	}
	if n := columns.allCategories(); n > 0 {
		params = append(params, weights.Param{Name: "embeddings", Dims: []int{n, 1}, Init: weights.Normal})
	}
	known := map[string]bool{}
	for _, block := range c.blocks() {
		in := columns.features()
		for i := range c.Shared + c.Independent {
			if name := c.matrixName(block, i); !known[name] {
				known[name] = true
				matrix(name, 2*c.width(), in, math.Sqrt2)
			}
			in = c.width()
		}
	}
	for step := range c.Steps {
		matrix(stepName(step)+".mask.weight", columns.features(), c.Attention, 1)
	}
	matrix("output.weight", columns.outputs(), c.Decision, 1)
	for _, n := range listNorms(c, columns) {
		params = append(params,
			weights.Param{Name: n.name + ".scale", Dims: []int{n.width}, Init: weights.Ones},
			weights.Param{Name: n.name + ".shift", Dims: []int{n.width}, Init: weights.Zeros})
	}
	return params
}

// listStatistics lists the running statistics of everything that is normalised.
func listStatistics(c *config, columns *columns) (stats []weights.Param) {
	for _, n := range listNorms(c, columns) {
		stats = append(stats,
			weights.Param{Name: n.name + ".mean", Dims: []int{n.width}, Init: weights.Zeros},
			weights.Param{Name: n.name + ".variance", Dims: []int{n.width}, Init: weights.Ones})
	}
	return stats
}
