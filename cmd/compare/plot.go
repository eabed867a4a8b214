package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"nptbench/report"
)

// plot makes the panels of a picture of the first two methods on the folds that both have: one for each data set, metric and protocol.
func plot(file string, comparisons []*comparison) (panels []report.Pairs, err error) {
	if ending := filepath.Ext(file); ending != ".svg" && ending != ".pdf" {
		return nil, fmt.Errorf("-plot %s: want a name that ends in .svg or .pdf", file)
	}
	for _, c := range comparisons {
		for _, d := range c.on {
			p := report.Pairs{Title: d.name, X: c.methods[0] + ": " + c.metric.Axis(), Y: c.methods[1] + ": " + c.metric.Axis(), Log: !c.metric.Larger}
			if c.protocol != "" {
				p.Title += ", " + c.protocol + " folds"
			}
			x, y, _ := pairs(d.rows[0].values, d.rows[1].values)
			for i := range x {
				p.Points = append(p.Points, [2]float64{x[i].value, y[i].value})
			}
			if len(p.Points) > 0 {
				panels = append(panels, p)
			}
		}
	}
	if len(panels) == 0 {
		return nil, errors.New("-plot: the first two methods have no fold in common")
	}
	return panels, nil
}
