package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"nptbench/internal/picture"
)

// plot makes the panels of a picture of the first two methods on the folds that both have: one for each data set, metric and protocol.
func plot(file string, comparisons []*comparison) (panels []picture.Scatter, err error) {
	if ending := filepath.Ext(file); ending != ".svg" && ending != ".pdf" {
		return nil, fmt.Errorf("-plot %s: want a name that ends in .svg or .pdf", file)
	}
	for _, c := range comparisons {
		for _, d := range c.on {
			p := picture.Scatter{
				Title: d.name, X: c.methods[0] + ": " + c.metric.Axis(), Y: c.methods[1] + ": " + c.metric.Axis(),
				LogX: !c.metric.Larger, LogY: !c.metric.Larger, Diagonal: true,
			}
			if c.protocol != "" {
				p.Title += ", " + c.protocol + " folds"
			}
			x, y, _ := pairs(d.rows[0].values, d.rows[1].values)
			points := make([]picture.Point, len(x))
			for i := range x {
				points[i] = picture.Point{X: x[i].value, Y: y[i].value}
			}
			if p.Points = [][]picture.Point{points}; len(points) > 0 {
				panels = append(panels, p)
			}
		}
	}
	if len(panels) == 0 {
		return nil, errors.New("-plot: the first two methods have no fold in common")
	}
	return panels, nil
}
