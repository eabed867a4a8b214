package gbdt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// An Origin says which fit a model comes from. It travels in the header of the model's text, under a key that LightGBM
// and leaves pass over.
type Origin struct {
	Method       string  `json:"method"`
	Library      string  `json:"library"` // with its version
	Dataset      string  `json:"dataset"`
	DataDigest   string  `json:"data_digest,omitempty"` // of its table; empty: an older model
	Protocol     string  `json:"protocol"`
	Fold         int     `json:"fold"`
	LearningRate float64 `json:"learning_rate"`
	MaxDepth     int     `json:"max_depth"`
	Iterations   int     `json:"iterations"`
	Counts       []int   `json:"n_estimators"` // of the configurations that the fit served: each is the model's first so many iterations
	Seed         int     `json:"seed"`

	// Columns are the table's columns that the features come from, in order: a number becomes one feature, a category as
	// many as it has values.
	Columns []string `json:"columns"`

	// Classes are the data set's classes that the training rows had, ascending: class i of the model is Classes[i].
	Classes []int `json:"classes,omitempty"`

	// Regression: a prediction in the target's units is prediction*TargetStd + TargetMean.
	TargetMean float64 `json:"target_mean"`
	TargetStd  float64 `json:"target_std"`
}

const originKey = "nptbench"

func parseOrigin(text string, predictions int) (Origin, error) {
	var o Origin
	if text == "" {
		return o, nil
	}
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return o, fmt.Errorf("%s: %w", originKey, err)
	}
	if o.Classes != nil && len(o.Classes) != predictions {
		return o, fmt.Errorf("%s: %d classes, but the model predicts %d", originKey, len(o.Classes), predictions)
	}
	if !slices.IsSorted(o.Classes) || len(slices.Compact(slices.Clone(o.Classes))) < len(o.Classes) {
		return o, fmt.Errorf("%s: classes %v, want each once and in order", originKey, o.Classes)
	}
	return o, nil
}

// addTo returns the model text with the origin in its header.
func (o *Origin) addTo(text []byte) []byte {
	line, err := json.Marshal(o)
	if err != nil {
		panic(err) // numbers, strings and integers always marshal
	}
	line = bytes.ReplaceAll(line, []byte("="), []byte(`\u003d`)) // leaves takes one "=" per line
	head, rest, _ := bytes.Cut(text, []byte("\nnum_class="))
	return slices.Concat(head, []byte("\n"+originKey+"="), line, []byte("\nnum_class="), rest)
}

// fileName says which fit it is.
func (o *Origin) fileName() string {
	return fmt.Sprintf("%s-%s-fold%d-%s-rate%v-depth%d-trees%d-seed%d.txt.gz",
		o.Dataset, o.Protocol, o.Fold, o.Method, o.LearningRate, o.MaxDepth, o.Iterations, o.Seed)
}
