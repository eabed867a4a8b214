package results

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ImportedParam is the one parameter of a method whose predictions were made elsewhere; its value is the method's title.
const ImportedParam = "imported"

// An Import is a method whose predictions were made elsewhere, as far as there are records of it.
type Import struct {
	Method, Title string
	Datasets      []string
}

// imports are the imported methods that were seen, by name.
type imports map[string]*Import

func (all imports) add(c *Cell) error {
	title, ok := ImportedTitle(c.Config)
	if !ok {
		return nil
	}
	i := all[c.Method]
	if i == nil {
		i = &Import{Method: c.Method, Title: title}
		all[i.Method] = i
	}
	if i.Title != title {
		return fmt.Errorf("method %s is imported as %q and as %q: import it under one title", c.Method, i.Title, title)
	}
	if !slices.Contains(i.Datasets, c.Dataset) {
		i.Datasets = append(i.Datasets, c.Dataset)
	}
	return nil
}

func (all imports) sorted() (list []Import) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, *all[name])
	}
	return list
}

// ImportedTitle returns the title of the imported method that a configuration is of.
func ImportedTitle(c Config) (string, bool) {
	if !strings.HasPrefix(string(c), `{"`+ImportedParam+`":`) { // as nearly all
		return "", false
	}
	var of map[string]any
	if json.Unmarshal([]byte(c), &of) != nil || len(of) != 1 {
		return "", false
	}
	title, ok := of[ImportedParam].(string)
	return title, ok
}
