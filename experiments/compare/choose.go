package main

import (
	"fmt"
	"slices"

	"nptbench/internal/metric"
	"nptbench/internal/spelling"
)

// A table has the results of one protocol and metric.
type table struct {
	protocol          string // empty: the file has none
	metric            metric.Metric
	datasets, methods []string // in the order of the file, or of the command line
	results           map[place]map[string]result
	gaps              []gap
}

// A place is where a method has results by fold.
type place struct{ dataset, method string }

// named puts the titles of a method in the place of its name.
func (r *results) named(methods []string) (titles []string) {
	for _, name := range methods {
		if all := r.titles[name]; all != nil {
			titles = append(titles, all...)
		} else {
			titles = append(titles, name)
		}
	}
	return titles
}

// choose makes a table for each protocol and metric of what is to be compared.
func (o *options) choose(r *results) ([]*table, error) {
	datasets := order(r.all, func(r result) string { return r.dataset })
	methods := order(r.all, func(r result) string { return r.method })
	o.methods = r.named(o.methods)
	metrics := order(r.all, func(r result) string { return r.metric })
	protocols := order(r.all, func(r result) string { return r.protocol })
	var protocol []string
	if o.protocol != "" {
		protocol = []string{o.protocol}
	}
	for _, c := range []struct {
		flag         string
		asked, known []string
	}{{"datasets", o.datasets, datasets}, {"methods", o.methods, methods}, {"metric", o.metrics, metrics},
		{"protocol", protocol, protocols}, {"larger", o.larger, metrics}, {"smaller", o.smaller, metrics}} {
		for i, name := range c.asked {
			if slices.Equal(c.known, []string{""}) {
				return nil, fmt.Errorf("-%s: %s has no column with the %s", c.flag, r.file, c.flag)
			}
			if !slices.Contains(c.known, name) {
				return nil, fmt.Errorf("-%s: %s has no %q%s", c.flag, r.file, name, spelling.Hint(name, c.known))
			}
			if slices.Contains(c.asked[:i], name) {
				return nil, fmt.Errorf("-%s: %s is named twice", c.flag, name)
			}
		}
	}
	if len(o.datasets) > 0 {
		datasets = o.datasets
	}
	if len(o.methods) > 0 {
		methods = o.methods
	}
	if len(methods) < 2 {
		return nil, fmt.Errorf("%s: there is one method, %s: want two to compare", r.file, methods[0])
	}
	if len(o.metrics) > 0 {
		metrics = o.metrics
	}
	var tables []*table
	if len(protocol) > 0 {
		protocols = protocol
	}
	for _, protocol := range protocols {
		for _, name := range metrics {
			t := &table{protocol: protocol, results: map[place]map[string]result{}}
			for _, one := range r.all {
				if one.protocol != protocol || one.metric != name || !slices.Contains(datasets, one.dataset) || !slices.Contains(methods, one.method) ||
					r.report && len(o.metrics) == 0 && name != ranking(r, one.dataset) {
					continue
				}
				at := place{one.dataset, one.method}
				if t.results[at] == nil {
					t.results[at] = map[string]result{}
				}
				t.results[at][one.fold] = one
				if !slices.Contains(t.datasets, one.dataset) {
					t.datasets = append(t.datasets, one.dataset)
				}
			}
			if len(t.results) == 0 {
				continue
			}
			t.methods = slices.DeleteFunc(slices.Clone(methods), func(m string) bool {
				return !slices.ContainsFunc(t.datasets, func(d string) bool { return t.results[place{d, m}] != nil })
			})
			if len(t.methods) < 2 {
				continue
			}
			slices.SortStableFunc(t.datasets, func(a, b string) int { return slices.Index(datasets, a) - slices.Index(datasets, b) })
			var err error
			if t.metric, err = o.direction(name); err != nil {
				return nil, err
			}
			for _, g := range r.gaps {
				if g.protocol == protocol && slices.Contains(t.datasets, g.dataset) && slices.Contains(methods, g.method) {
					t.gaps = append(t.gaps, g)
				}
			}
			tables = append(tables, t)
		}
	}
	if len(tables) == 0 {
		return nil, fmt.Errorf("%s has no metric of which two of these methods have results on these data sets", r.file)
	}
	return tables, nil
}

// order lists different values as they come.
func order(all []result, of func(result) string) (values []string) {
	seen := map[string]bool{}
	for _, r := range all {
		if v := of(r); !seen[v] {
			seen[v] = true
			values = append(values, v)
		}
	}
	return values
}

// ranking is the metric by which the paper's Table 1 ranks on a data set, by which metrics it has results of.
func ranking(r *results, dataset string) string {
	for _, m := range []metric.Metric{metric.RMSE, metric.AUROC} {
		if slices.ContainsFunc(r.all, func(one result) bool { return one.dataset == dataset && one.metric == m.Name }) {
			return m.Name
		}
	}
	return metric.Accuracy.Name
}

// usual are metrics that others use, by whether larger is better.
var usual = map[string]bool{
	"acc": true, "auc": true, "rocauc": true, "f1": true, "r2": true, "balancedaccuracy": true,
	"mae": false, "logloss": false, "loss": false, "error": false, "brier": false,
}

// direction says whether larger is better.
func (o *options) direction(name string) (metric.Metric, error) {
	m := metric.Named(name)
	known := slices.ContainsFunc(metric.All, func(has metric.Metric) bool { return has.Name == name })
	larger, isUsual := usual[spelled(name)]
	switch {
	case slices.Contains(o.larger, name):
		m.Larger = true
	case slices.Contains(o.smaller, name):
		m.Larger = false
	case known:
	case isUsual:
		m.Larger = larger
	default:
		return m, fmt.Errorf("is a larger or a smaller %s better? say -larger %s or -smaller %s", name, name, name)
	}
	return m, nil
}
