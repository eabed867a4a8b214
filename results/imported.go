package results

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/segmentio/encoding/json"
)

// ImportedParam is the one parameter of a method whose predictions were made elsewhere; its value is the method's title.
const ImportedParam = "imported"

// An Import is a method whose predictions were made elsewhere, as far as there are records of it.
type Import struct {
	Method, Title string
	Datasets      []string
}

// ReadImports finds the imported methods of folders or single segments, in the order of their names. What is damaged is passed
// over, as ReadIndex reports it.
func ReadImports(paths ...string) ([]Import, error) {
	mark := []byte(`"config":{"` + ImportedParam + `":`)
	found := map[string]*Import{}
	h := new(head)
	check := func(line segmentLine) string {
		if !bytes.Contains(line.text, mark) {
			h.ID = ID{}
			return ""
		}
		return h.read(line)
	}
	for _, err := range lines(paths, check) {
		if errors.As(err, new(*Damage)) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if h.ID == (ID{}) {
			continue
		}
		title, ok := ImportedTitle(h.Config)
		if !ok {
			continue
		}
		i := found[h.Method]
		if i == nil {
			i = &Import{Method: strings.Clone(h.Method), Title: title}
			found[i.Method] = i
		}
		if i.Title != title {
			return nil, fmt.Errorf("method %s is imported as %q and as %q: import it under one title", h.Method, i.Title, title)
		}
		if !slices.Contains(i.Datasets, h.Dataset) {
			i.Datasets = append(i.Datasets, strings.Clone(h.Dataset))
		}
	}
	var all []Import
	for _, i := range found {
		all = append(all, *i)
	}
	slices.SortFunc(all, func(a, b Import) int { return strings.Compare(a.Method, b.Method) })
	return all, nil
}

// ImportedTitle returns the title of the imported method that a configuration is of.
func ImportedTitle(c Config) (string, bool) {
	var of map[string]any
	if json.Unmarshal([]byte(c), &of) != nil || len(of) != 1 {
		return "", false
	}
	title, ok := of[ImportedParam].(string)
	return title, ok
}
