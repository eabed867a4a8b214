package main

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"nptbench/internal/dataset"
	"nptbench/internal/program"
	"nptbench/internal/split"
	"nptbench/internal/task"
)

const about = `Predicts with boosted trees that are fitted already, without Python, and prints their metrics. The exit code is 1 when a
model could not be scored, or does not agree with its records if those were asked for.`

var usage = []string{
	"-models DIR [-records DIR] [-data DIR]",
	"-model FILE [-dataset NAME] [-protocol NAME] [-fold N] [-trees LIST] [-target SCALE] [-data DIR]",
	"-export FILE -dataset NAME [-protocol NAME] [-fold N] [-data DIR]",
}

// options are what the command line says.
type options struct {
	models, model, export string // one of them
	records, data         string

	dataset  string         // "": what the model was fitted on
	protocol split.Protocol // likewise
	fold     int            // -1: likewise
	trees    []int          // none: those of the records, else all
	target   string         // scale of what a model from elsewhere predicts
}

const (
	original     = "original"
	standardised = "standardised"
)

func parse(e program.Env) (o options, err error) {
	f := program.NewFlags("score", about, usage...)
	f.StringVar(&o.models, "models", "", "score all models in this `folder`, as -keep-models leaves them")
	f.StringVar(&o.records, "records", "", "with -models: compare with the records in this `folder`")
	f.StringVar(&o.model, "model", "", "score this `file`: LightGBM text of version v2 to v4, plain or compressed (.gz)")
	f.StringVar(&o.export, "export", "", "write the rows that methods are given to this CSV `file`, for fitting a model elsewhere; - is standard output")
	data := f.Data()
	f.StringVar(&o.dataset, "dataset", "", "data set (default: the one that the model says it was fitted on)")
	protocol := f.Choice("protocol", "", "`name` of a protocol, published or corrected (default: as the model says, else published for the paper's data sets, corrected for others)",
		string(split.Published), string(split.Corrected))
	f.IntVar(&o.fold, "fold", -1, "`fold` whose test rows count (default: as the model says, else 0)")
	trees := f.List("trees", "predict by the first so many iterations, a `list` with commas (default all)")
	target := f.Choice("target", original, "`scale` on which a regression model from elsewhere predicts: original, or standardised by the training rows as in -export",
		original, standardised)
	if err := f.Parse(e); err != nil {
		return o, err
	}
	o.data, o.protocol, o.target = *data, split.Protocol(*protocol), *target
	for _, word := range *trees {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return o, f.Errorf("-trees: %q is no number of trees, want at least 1", word)
		}
		o.trees = append(o.trees, n)
	}
	return o, o.check(f)
}

// spec is the task that the options name, and where they say nothing, the other one, or the first fold of what is usual for the data set.
func (o *options) spec(other task.Spec) task.Spec {
	fold := o.fold
	if fold < 0 {
		fold = other.Fold
	}
	at := task.Spec{Dataset: cmp.Or(o.dataset, other.Dataset), Protocol: cmp.Or(o.protocol, other.Protocol), Fold: fold}
	switch {
	case at.Protocol != "":
	case dataset.BuiltIn(at.Dataset):
		at.Protocol = split.Published
	default: // as in a sweep
		at.Protocol = split.Corrected
	}
	return at
}

// Flags that go with each way of using the program, besides -data.
var companions = map[string][]string{
	"models": {"records"},
	"model":  {"dataset", "protocol", "fold", "trees", "target"},
	"export": {"dataset", "protocol", "fold"},
}

func (o *options) check(f *program.Flags) error {
	way := ""
	for _, name := range []string{"models", "model", "export"} {
		if !f.Given(name) {
			continue
		}
		if way != "" {
			return f.Errorf("-%s and -%s: want one of them", way, name)
		}
		way = name
	}
	if way == "" {
		return f.Errorf("want -models, -model or -export")
	}
	if o.models+o.model+o.export == "" {
		return f.Errorf("-%s: want a name", way)
	}
	if way == "export" && o.dataset == "" {
		return f.Errorf("-export: want the data set, -dataset")
	}
	for _, allowed := range slices.Sorted(maps.Keys(companions)) {
		for _, name := range companions[allowed] {
			if f.Given(name) && !slices.Contains(companions[way], name) {
				return f.Errorf("-%s has no meaning with -%s", name, way)
			}
		}
	}
	if f.Given("fold") && o.fold < 0 {
		return f.Errorf("-fold %d: want 0 or more", o.fold)
	}
	return nil
}
