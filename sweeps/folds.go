package sweeps

import (
	"nptbench/internal/dataset"
	"nptbench/internal/document"
)

// folds says which folds to run: those listed, else the first few, else all that the paper runs.
type folds struct {
	list  []int
	first int
}

func (f folds) of(info dataset.Info) []int {
	if f.list != nil {
		return f.list
	}
	n := f.first
	if n == 0 {
		n = info.RunFolds
	}
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// available is the number of folds that can be cut. Fixed test rows leave one.
func available(info dataset.Info) int {
	if info.TestAt > 0 {
		return 1
	}
	return info.Folds
}

const wantFolds = "want all, a count such as 3, or a list of fold numbers such as [0, 4]"

func (p *parser) readFolds(n *document.Node) {
	if n.Is == document.List {
		p.sweep.folds = folds{list: p.foldList(n)}
		return
	}
	v, ok := p.Single(n)
	if !ok || v == "all" {
		return
	}
	count, isInt := v.(int)
	if !isInt || count < 1 {
		p.Errorf(n.At, "folds: %s is not allowed, %s", written(n, v), wantFolds)
		return
	}
	for _, info := range p.infos {
		if most := available(info); count > most {
			p.Errorf(n.At, "folds: %d, but %s has %d; want a smaller count or all", count, info.Name, most)
			return
		}
	}
	p.sweep.folds = folds{first: count}
}

func (p *parser) foldList(n *document.Node) []int {
	var list []int
	first := map[int]document.Position{}
	for _, e := range p.Sequence(n, "folds") {
		v, ok := p.Single(e)
		if !ok {
			continue
		}
		fold, isInt := v.(int)
		if !isInt || fold < 0 {
			p.Errorf(e.At, "fold %s is not allowed, want whole numbers from 0", written(e, v))
			continue
		}
		if before, twice := first[fold]; twice {
			p.Errorf(e.At, "fold %d is listed twice (first at %s)", fold, before)
			continue
		}
		first[fold] = e.At
		list = append(list, fold)
		for _, info := range p.infos {
			if most := available(info); fold >= most {
				p.Errorf(e.At, "fold %d does not exist: the folds of %s are 0 to %d", fold, info.Name, most-1)
				break
			}
		}
	}
	return list
}
