package report

import (
	"bytes"
	"testing"

	"nptbench/internal/dataset"
	"nptbench/internal/measure"
	"nptbench/results"
)

// Tables of one measurement have other columns on other data sets: predictions one for each class.
func TestRowsOfDifferentTables(t *testing.T) {
	fold := func(data string, table results.Table) *Group {
		g := &Group{Info: dataset.Info{Name: data}, Protocol: published, Series: &Series{Method: testMethods[0], Measure: measure.All()[0]}, Settings: 1}
		g.Folds = []*Fold{{group: g, Chosen: &results.Record{Table: &table}}}
		return g
	}
	s := &Summary{Groups: []*Group{
		fold("yacht", results.Table{Columns: []string{"row", "prediction"}, Lines: [][]float64{{7, 0.5}}}),
		fold("breast-cancer", results.Table{Columns: []string{"row", "class_0", "class_1"}, Lines: [][]float64{{3, 0.25, 0.75}}}),
	}}
	var out bytes.Buffer
	if err := s.writeRows(&out, measure.All()[0].Name); err != nil {
		t.Fatal(err)
	}
	name := measure.All()[0].Name
	want := "dataset,protocol,method,measure,fold,test_row,prediction,class_0,class_1\n" +
		"yacht,published," + testMethods[0].Name + "," + name + ",0,7,0.5,,\n" +
		"breast-cancer,published," + testMethods[0].Name + "," + name + ",0,3,,0.25,0.75\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
