package gbdt

import (
	"errors"
	"fmt"
	"math"
)

// A catBoostModel is what a cbm file says about its trees.
type catBoostModel struct {
	outputs   int
	questions []catBoostQuestion // all borders of all features
	splits    []int32            // numbers of questions, tree by tree
	depths    []int32            // splits per tree
	leaves    []float64          // outputs per leaf, 2^depth leaves per tree
}

// Numbers of the fields used, as the FlatBuffers schema of CatBoost's sources orders them
// (catboost/libs/model/flatbuffers/model.fbs and features.fbs).
const (
	cbmTrees = 1 // of the core

	cbmOutputs       = 0 // of the trees
	cbmSplits        = 1
	cbmDepths        = 2
	cbmCatFeatures   = 4
	cbmFloatFeatures = 5
	cbmLeaves        = 8
	cbmAsymmetric    = 10

	cbmFlatIndex = 2 // of a float feature
	cbmBorders   = 3
	cbmNaN       = 5
)

const cbmNaNAsTrue = 2

// decodeCatBoost reads the bytes of a cbm file: "CBM1", the length of the core, and the core as a FlatBuffers table.
func decodeCatBoost(data []byte) (*catBoostModel, error) {
	if len(data) < 8 || string(data[:4]) != "CBM1" {
		return nil, errors.New("not a CatBoost model: it does not begin with CBM1")
	}
	f := &flatBuffer{data: data[8:]}
	trees := f.follow(f.field(f.root(), cbmTrees))
	if f.length(f.follow(f.field(trees, cbmCatFeatures))) > 0 || f.length(f.follow(f.field(trees, cbmAsymmetric))) > 0 {
		return nil, errors.New("the CatBoost model has categorical features or asymmetric trees, want float features and oblivious trees")
	}
	m := &catBoostModel{
		outputs: int(f.int32(f.field(trees, cbmOutputs))),
		splits:  f.int32s(f.follow(f.field(trees, cbmSplits))),
		depths:  f.int32s(f.follow(f.field(trees, cbmDepths))),
		leaves:  f.float64s(f.follow(f.field(trees, cbmLeaves))),
	}
	features := f.follow(f.field(trees, cbmFloatFeatures))
	for i := 0; i < f.length(features) && !f.failed; i++ {
		feature := f.follow(features + 4 + 4*i)
		question := catBoostQuestion{feature: f.int32(f.field(feature, cbmFlatIndex)), nanRight: f.byte(f.field(feature, cbmNaN)) == cbmNaNAsTrue}
		borders := f.follow(f.field(feature, cbmBorders))
		for j := 0; j < f.length(borders) && !f.failed; j++ {
			question.border = math.Float32frombits(uint32(f.int32(borders + 4 + 4*j)))
			m.questions = append(m.questions, question)
		}
	}
	if f.failed || m.outputs < 1 {
		return nil, fmt.Errorf("damaged CatBoost model of %d bytes", len(data))
	}
	return m, nil
}
