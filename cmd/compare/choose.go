package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nptbench/internal/metric"
	"nptbench/internal/spelling"
)

// A table has the results of one protocol and metric.
type table struct {
	protocol          string // empty: the file has none
	metric            metric.Metric
	datasets, methods []string // in the order of the file, or of the command line
	results           map[place]map[string]result
	folds             map[string]map[string]string // by data set, those that the methods have with any metric: their parts, by their names
	gaps              []gap
}

// A place is where a method has results by fold.
type place struct{ dataset, method string }

// named replaces a method's name by its titles, and rejoins titles that were cut at their commas, as in "NPT, 4 layers, 24,000 steps".
func (r *results) named(methods []string) (titles []string) {
	known := map[string]string{} // titles, by what is left of them when they are cut
	for _, title := range order(r.all, func(r result) string { return r.method }) {
		known[strings.ReplaceAll(title, ", ", ",")] = title
	}
	for len(methods) > 0 {
		n := len(methods)
		for n > 1 && known[strings.Join(methods[:n], ",")] == "" {
			n--
		}
		name := cmp.Or(known[strings.Join(methods[:n], ",")], methods[0])
		methods = methods[n:]
		if all := r.titles[name]; all != nil {
			titles = append(titles, all...)
		} else {
			titles = append(titles, name)
		}
	}
	return titles
}

// choose makes a table for each protocol and metric of what is to be compared.
func (o *options) choose(r *results) (tables []*table, err error) {
	pick := func(flag string, asked []string, of func(result) string) []string {
		known := order(r.all, of)
		for i, name := range asked {
			switch {
			case err != nil:
			case slices.Equal(known, []string{""}):
				err = fmt.Errorf("-%s: %s has no column with the %s", flag, r.file, flag)
			case slices.ContainsFunc(r.gaps, func(g gap) bool { return of(g.result()) == name }) && !slices.Contains(known, name):
				err = fmt.Errorf("-%s: %s has no result of %q that counts", flag, r.file, name)
			case !slices.Contains(known, name):
				if flag == "methods" { // which are shorter than their titles, and have no commas
					known = slices.Sorted(maps.Keys(r.titles))
				}
				err = fmt.Errorf("-%s: %s has no %q%s", flag, r.file, name, spelling.Hint(name, known))
			case slices.Contains(asked[:i], name):
				err = fmt.Errorf("-%s: %s is named twice", flag, name)
			}
		}
		if len(asked) > 0 {
			return asked
		}
		return known
	}
	metricOf := func(r result) string { return r.metric }
	datasets := pick("datasets", o.datasets, func(r result) string { return r.dataset })
	methods := pick("methods", r.named(o.methods), func(r result) string { return r.method })
	metrics := pick("metric", o.metrics, metricOf)
	protocols := pick("protocol", o.protocol, func(r result) string { return r.protocol })
	pick("larger", o.larger, metricOf)
	pick("smaller", o.smaller, metricOf)
	for _, name := range o.smaller {
		if err == nil && slices.Contains(o.larger, name) {
			err = fmt.Errorf("-larger %s and -smaller %s: want one of them", name, name)
		}
	}
	if err != nil {
		return nil, err
	}
	without := withoutResult(r.gaps, methods)
	if len(o.methods) == 1 && len(methods) == 1 {
		return nil, fmt.Errorf("-methods %s: want two to compare, or more", methods[0])
	}
	if len(methods) < 2 {
		others := ""
		if len(without) > 0 {
			others = "; no results: " + strings.Join(without, ", ")
		}
		return nil, fmt.Errorf("%s: one method has results, %s: want two to compare%s", r.file, methods[0], others)
	}
	if len(o.methods) == 0 {
		methods = append(methods, without...)
	}
	ranks := ranking(r)
	for _, protocol := range protocols {
		for _, name := range metrics {
			t := r.table(protocol, datasets, methods, func(one result) bool {
				return one.metric == name && !(r.report && len(o.metrics) == 0 && name != ranks[one.dataset])
			})
			if len(t.methods) < 2 {
				continue
			}
			if len(o.methods) > 0 {
				t.methods = methods // those without a result, too
			} else {
				t.methods = append(t.methods, withoutResult(t.gaps, t.methods)...)
			}
			if t.metric, err = o.direction(r.file, name); err != nil {
				return nil, err
			}
			tables = append(tables, t)
		}
	}
	for _, name := range o.metrics {
		if !slices.ContainsFunc(tables, func(t *table) bool { return t.metric.Name == name }) {
			return nil, fmt.Errorf("-metric: %s has no two methods of these with the %s on these data sets", r.file, name)
		}
	}
	for _, name := range o.datasets {
		if len(tables) > 0 && !slices.ContainsFunc(tables, func(t *table) bool { return slices.Contains(t.datasets, name) }) {
			return nil, fmt.Errorf("-datasets: %s has nothing to compare these methods by on %s", r.file, name)
		}
	}
	if len(tables) == 0 {
		return nil, fmt.Errorf("%s has no metric of which two of these methods have results on these data sets", r.file)
	}
	return tables, nil
}

// withoutResult lists the methods of gaps that are not among those that have results.
func withoutResult(gaps []gap, methods []string) (without []string) {
	for _, g := range gaps {
		if !slices.Contains(methods, g.method) && !slices.Contains(without, g.method) {
			without = append(without, g.method)
		}
	}
	return without
}

// table has those results of a protocol, of these data sets and methods, that are wanted: of one metric.
func (r *results) table(protocol string, datasets, methods []string, wanted func(result) bool) *table {
	t := &table{protocol: protocol, results: map[place]map[string]result{}, folds: map[string]map[string]string{}}
	for _, one := range r.all {
		if one.protocol != protocol || !slices.Contains(datasets, one.dataset) || !slices.Contains(methods, one.method) || !wanted(one) {
			continue
		}
		at := place{one.dataset, one.method}
		if t.results[at] == nil {
			t.results[at] = map[string]result{}
		}
		t.results[at][one.fold] = one
	}
	has := func(dataset, method string) bool { return t.results[place{dataset, method}] != nil }
	for _, d := range datasets {
		if slices.ContainsFunc(methods, func(m string) bool { return has(d, m) }) {
			t.datasets = append(t.datasets, d)
			t.folds[d] = map[string]string{}
		}
	}
	for _, m := range methods {
		if slices.ContainsFunc(t.datasets, func(d string) bool { return has(d, m) }) {
			t.methods = append(t.methods, m)
		}
	}
	for _, one := range r.all {
		if one.protocol == protocol && slices.Contains(t.datasets, one.dataset) && slices.Contains(t.methods, one.method) {
			t.folds[one.dataset][one.fold] = one.part
		}
	}
	for _, g := range r.gaps {
		if g.protocol == protocol && slices.Contains(t.datasets, g.dataset) && slices.Contains(methods, g.method) {
			t.gaps = append(t.gaps, g)
		}
	}
	return t
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

// ranking is the metric by which the paper's Table 1 ranks on each data set, by which metrics it has results of.
func ranking(r *results) map[string]string {
	by := map[string]string{}
	for _, one := range r.all {
		switch one.metric {
		case metric.RMSE.Name, metric.AUROC.Name: // no data set has both
			by[one.dataset] = one.metric
		default:
			by[one.dataset] = cmp.Or(by[one.dataset], metric.Accuracy.Name)
		}
	}
	return by
}

// usual are metrics that others use, by whether larger is better.
var usual = map[string]bool{
	"acc": true, "auc": true, "rocauc": true, "f1": true, "r2": true, "balancedaccuracy": true,
	"mae": false, "logloss": false, "loss": false, "error": false, "brier": false,
}

// direction says whether larger is better.
func (o *options) direction(file, name string) (metric.Metric, error) {
	m := metric.Named(name)
	at := slices.IndexFunc(metric.All, func(has metric.Metric) bool { return spelled(has.Name) == spelled(name) })
	if at >= 0 {
		m.Larger = metric.All[at].Larger // where it is spelled in another way its unit may be another, too
	}
	larger, isUsual := usual[spelled(name)]
	switch {
	case slices.Contains(o.larger, name):
		m.Larger = true
	case slices.Contains(o.smaller, name):
		m.Larger = false
	case at >= 0:
	case isUsual:
		m.Larger = larger
	default:
		return m, fmt.Errorf("%s: is a larger or a smaller %s better? say -larger %s or -smaller %s", file, name, name, name)
	}
	return m, nil
}
