package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"nptbench/internal/dataset"
	"nptbench/internal/spelling"
	"nptbench/internal/split"
)

const usage = `usage: score -models DIR [-records DIR] [-data DIR]
       score -model FILE [-dataset NAME] [-protocol NAME] [-fold N] [-trees LIST] [-target SCALE] [-data DIR]
       score -export FILE -dataset NAME [-protocol NAME] [-fold N] [-data DIR]

Predicts with boosted trees that are fitted already, without Python, and prints their metrics.

`

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

func parse(args []string, stdout io.Writer) (o options, err error) {
	fs := flag.NewFlagSet("score", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.models, "models", "", "score all models in this `folder`, as -keep-models leaves them")
	fs.StringVar(&o.records, "records", "", "with -models: compare with the records in this `folder`")
	fs.StringVar(&o.model, "model", "", "score this `file`: LightGBM text of version v2 to v4, plain or compressed (.gz)")
	fs.StringVar(&o.export, "export", "", "write the rows that methods are given to this CSV `file`, for fitting a model elsewhere")
	fs.StringVar(&o.data, "data", "", "`folder` with the data sets (default $NPT_DATA_DIR, else ./data, else ../shared/data)")
	fs.StringVar(&o.dataset, "dataset", "", "data set (default: the one that the model says it was fitted on)")
	protocol := fs.String("protocol", "", "published or corrected (default: as the model says, else published)")
	fs.IntVar(&o.fold, "fold", -1, "`fold` whose test rows count (default: as the model says, else 0)")
	trees := fs.String("trees", "", "predict by the first so many iterations, a `list` with commas (default all)")
	fs.StringVar(&o.target, "target", original, "scale on which a regression model from elsewhere predicts: original, or standardised by the training rows as in -export")
	err = fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		fs.SetOutput(stdout)
		fs.PrintDefaults()
		return o, err
	}
	if err != nil {
		return o, fmt.Errorf("%w (-help lists all flags)", err)
	}
	if fs.NArg() > 0 {
		return o, fmt.Errorf("%q is not a flag (-help lists them)", fs.Arg(0))
	}
	o.protocol = split.Protocol(*protocol)
	if o.trees, err = numbers(*trees); err != nil {
		return o, err
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	return o, o.check(given)
}

// place is where the options say, and where they say nothing, the other place.
func (o *options) place(other place) place {
	if o.dataset != "" {
		other.dataset = o.dataset
	}
	if o.protocol != "" {
		other.protocol = o.protocol
	}
	if o.fold >= 0 {
		other.fold = o.fold
	}
	return other
}

func numbers(list string) (out []int, err error) {
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-trees: %q is no number of trees, want at least 1", word)
		}
		out = append(out, n)
	}
	return out, nil
}

// Flags that go with each way of using the program, besides -data.
var companions = map[string][]string{
	"models": {"records"},
	"model":  {"dataset", "protocol", "fold", "trees", "target"},
	"export": {"dataset", "protocol", "fold"},
}

func (o *options) check(given map[string]bool) error {
	way := ""
	for _, name := range []string{"models", "model", "export"} {
		if !given[name] {
			continue
		}
		if way != "" {
			return fmt.Errorf("-%s and -%s: want one of them", way, name)
		}
		way = name
	}
	if way == "" {
		return errors.New("want -models, -model or -export (-help explains)")
	}
	if o.models+o.model+o.export == "" {
		return fmt.Errorf("-%s: want a name", way)
	}
	for name := range given {
		if name != way && name != "data" && !slices.Contains(companions[way], name) {
			return fmt.Errorf("-%s has no meaning with -%s", name, way)
		}
	}
	if given["protocol"] && !slices.Contains(split.Protocols, o.protocol) {
		return fmt.Errorf("-protocol %q: want published or corrected%s", o.protocol, spelling.Hint(string(o.protocol), []string{"published", "corrected"}))
	}
	if given["fold"] && o.fold < 0 {
		return fmt.Errorf("-fold %d: want 0 or more", o.fold)
	}
	if o.target != original && o.target != standardised {
		return fmt.Errorf("-target %q: want %s or %s", o.target, original, standardised)
	}
	if o.dataset != "" || way == "export" {
		if _, err := dataset.Lookup(o.dataset); err != nil {
			return fmt.Errorf("-dataset: %w", err)
		}
	}
	return nil
}
