package task

import "slices"

// Select returns the task of some of the rows, which are in ascending order. The rest of it is shared but for the features and their
// missing entries, which are the caller's to change.
func (t *Task) Select(rows []int) *Task {
	s := *t
	s.Train, s.Val, s.Test, s.Copies = 0, 0, 0, 0
	s.X, s.Missing, s.Y, s.Labels, s.TargetFeatures, s.Groups = make([]float32, 0, len(rows)*t.Width), nil, nil, nil, nil, nil
	for _, i := range rows {
		switch {
		case i < t.Train:
			s.Train++
			if i >= t.Train-t.Copies {
				s.Copies++
			}
		case i < t.Train+t.Val:
			s.Val++
		default:
			s.Test++
		}
		s.X = append(s.X, t.Row(i)...)
		if d := len(t.Features); t.Missing != nil {
			s.Missing = append(s.Missing, t.Missing[i*d:(i+1)*d]...)
		}
		if t.TargetFeatures != nil {
			s.TargetFeatures = append(s.TargetFeatures, t.TargetFeatures[i])
		}
		if i < len(t.Y) {
			s.Y = append(s.Y, t.Y[i])
		}
		if i < len(t.Groups) {
			s.Groups = append(s.Groups, t.Groups[i])
		}
		if i < len(t.Labels) {
			s.Labels = append(s.Labels, t.Labels[i])
		}
	}
	return &s
}

// TestRows returns the numbers of the test rows among some rows, counted from 0 for the first test row of the task.
func (t *Task) TestRows(rows []int) (numbers []int) {
	first := t.Train + t.Val
	at, _ := slices.BinarySearch(rows, first)
	for _, i := range rows[at:] {
		numbers = append(numbers, i-first)
	}
	return numbers
}
