package npt

import (
	"nptbench/internal/dataset"
	"nptbench/internal/method"
	"nptbench/internal/task"
)

// targetPrediction picks the channels of the target out of predicted rows, which are those of the task from first on.
func targetPrediction(t *task.Task, first int, rows [][]float64) method.Prediction {
	var out method.Prediction
	for i, row := range rows {
		at := targetOffset(t, first+i)
		out = append(out, row[at:at+t.Outputs()]...)
	}
	return out
}

// targetOffset returns the first channel of the target of a row, which has its place among the features.
func targetOffset(t *task.Task, row int) int {
	switch {
	case t.TargetFeatures != nil:
		return t.Features[t.TargetFeatures[row]].Offset
	case t.Info.Target < len(t.Features):
		return t.Features[t.Info.Target].Offset
	}
	return t.Width
}

// tableRow is the row of tableOf's table that a row of the task is: copies come last.
func tableRow(t *task.Task, i int) int {
	train := t.Train - t.Copies
	switch {
	case i < train:
		return i
	case i < t.Train:
		return i - train + t.Rows() - t.Copies
	}
	return i - t.Copies
}

// tableOf puts the target of a task in its place among the features.
func tableOf(t *task.Task) *Table {
	if t.TargetFeatures != nil {
		return rowTargetsTable(t)
	}
	target, at, outputs := t.Info.Target, targetOffset(t, 0), t.Outputs()
	table := &Table{Train: t.Train - t.Copies, Val: t.Val, Test: t.Test, Copies: t.Copies > 0}
	table.Flagged = table.Copies && t.Info.Copies.Flagged
	for _, f := range t.Features {
		column := Column{Name: f.Name}
		if f.Type == dataset.Categorical {
			column.Categories = f.Width
		}
		table.Columns = append(table.Columns, column)
	}
	column := Column{Name: "target", Target: true}
	if t.Info.Problem.Classification() {
		column.Categories = outputs
	}
	table.Columns = append(table.Columns[:target:target], append([]Column{column}, table.Columns[target:]...)...)

	width := t.Width + outputs
	table.Values = make([]float32, t.Rows()*width)
	for i := range t.Rows() {
		row := table.Values[tableRow(t, i)*width:][:width]
		copy(row, t.Row(i)[:at])
		copy(row[at+outputs:], t.Row(i)[at:])
		switch {
		case i >= t.Train+t.Val: // stays zero
		case column.Categories > 0:
			row[at+int(t.Labels[i])] = 1
		default:
			row[at] = float32(t.Y[i])
		}
	}
	if t.Missing != nil {
		d := len(t.Features)
		table.Missing = make([]bool, t.Rows()*(d+1))
		for i := range t.Rows() {
			row, features := table.Missing[tableRow(t, i)*(d+1):][:d+1], t.Missing[i*d:(i+1)*d]
			copy(row, features[:target])
			copy(row[target+1:], features[target:])
		}
	}
	return table
}

// rowTargetsTable is the table of a task in which rows differ in their target: all columns are features, and have the targets' values.
func rowTargetsTable(t *task.Task) *Table {
	table := &Table{Train: t.Train - t.Copies, Val: t.Val, Test: t.Test, Copies: t.Copies > 0}
	for _, f := range t.Features {
		table.Columns = append(table.Columns, Column{Name: f.Name, Target: true})
	}
	table.Values, table.RowTargets = make([]float32, t.Rows()*t.Width), make([]int, table.Rows())
	for i, target := range t.TargetFeatures {
		at := tableRow(t, i)
		row := table.Values[at*t.Width:][:t.Width]
		copy(row, t.Row(i))
		if i < t.Train+t.Val {
			row[target] = float32(t.Y[i])
		}
		if at < table.Rows() {
			table.RowTargets[at] = target
		}
	}
	return table
}
