package sweeps

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"nptbench/internal/dataset"
	"nptbench/internal/document"
	"nptbench/internal/method"
	"nptbench/internal/metric"
	"nptbench/internal/spelling"
	"nptbench/internal/split"
)

// What a file may say, the defaults first.
const defaultSeed = 42

var (
	regressionMetrics     = metric.Names(metric.Selecting(dataset.Regression))
	classificationMetrics = metric.Names(metric.Selecting(dataset.Binary))
)

// Parse reads, checks and expands the content of a sweep file. The file's name appears in errors, and is the sweep's name
// unless it has another. The error, if any, is document.Errors, all mistakes found.
func Parse(file string, content []byte, c Catalogue) (*Sweep, error) {
	doc, root := document.Parse(file, content, "a sweep needs at least datasets and methods")
	p := &parser{
		Document:  doc,
		catalogue: c,
		sweep: &Sweep{
			Name:      strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)),
			File:      file,
			Seed:      defaultSeed,
			Protocols: split.Protocols[:1:1],
			Select:    Selection{regressionMetrics[0], classificationMetrics[0]},
			settings:  map[string][]Setting{},
		},
		requests: map[request]place{},
		notes:    map[note]bool{},
	}
	if root != nil {
		p.read(root)
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return p.sweep, nil
}

// A parser turns a document into a sweep.
type parser struct {
	*document.Document
	catalogue Catalogue
	sweep     *Sweep
	infos     []dataset.Info    // of the sweep's data sets
	cells     float64           // so far
	requests  map[request]place // where each was made
	notes     map[note]bool
	commands  []*method.Method // that the sweep declares
}

func (p *parser) read(root *document.Node) {
	nodes, ok := p.Object(root, "the sweep",
		"name", "description", "seed", "protocols", "datasets", "folds", "select", "budget", "methods")
	if !ok {
		return
	}
	for _, key := range []string{"datasets", "methods"} {
		if nodes[key] == nil {
			p.Errorf(root.At, "the sweep has no %s; add %s: [...]", key, key)
		}
	}
	if nodes["name"] == nil {
		p.checkName(root.At, "name, by default the file's", p.sweep.Name)
	}
	s := p.sweep
	for _, f := range []struct {
		key  string
		read func(*document.Node)
	}{ // methods come last: they need all else
		{"name", p.readName},
		{"description", func(n *document.Node) { s.Description, _ = p.Text(n, "description") }},
		{"seed", p.readSeed},
		{"protocols", func(n *document.Node) { s.Protocols = p.protocols(n) }},
		{"datasets", p.readDatasets},
		{"folds", p.readFolds},
		{"select", p.readSelect},
		{"budget", p.readBudget},
		{"methods", p.readMethods},
	} {
		if n := nodes[f.key]; n != nil {
			f.read(n)
		}
		if f.key == "datasets" && nodes["protocols"] == nil {
			p.usualProtocol(nodes["datasets"])
		}
	}
	for _, info := range p.infos {
		if info.Groups != "" && slices.Contains(s.Protocols, split.Published) && nodes["protocols"] != nil {
			p.Errorf(nodes["protocols"].At, "protocols: published folds would part rows of %s with the same %s; want [corrected]", info.Name, info.Groups)
		}
	}
}

// usualProtocol chooses that of a sweep without protocols: corrected where all data sets are the user's own, of which no paper has numbers
// by published folds.
func (p *parser) usualProtocol(n *document.Node) {
	own := 0
	for _, info := range p.infos {
		if !dataset.BuiltIn(info.Name) {
			own++
		}
	}
	switch {
	case own == 0:
	case own < len(p.infos):
		p.Errorf(n.At, "datasets: some are the paper's and some your own: add protocols: [corrected], true cross-validation, or [published], the folds of the paper's code")
	default:
		p.sweep.Protocols = []split.Protocol{split.Corrected}
	}
}

func (p *parser) readName(n *document.Node) {
	name, ok := p.Text(n, "name")
	if ok {
		p.checkName(n.At, "name", name)
	}
	p.sweep.Name = name
}

func (p *parser) checkName(at document.Position, what, name string) {
	switch {
	case !printable(name):
		p.Errorf(at, "%s: %q is not one line of text", what, name)
	case name == "." || name == ".." || strings.ContainsAny(name, `/\`):
		p.Errorf(at, `%s: %q is not the name of a folder in out; want a name without / and \`, what, name)
	}
}

// printable reports whether a name can stand in a table.
func printable(name string) bool {
	return strings.TrimSpace(name) != "" && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

func (p *parser) protocols(n *document.Node) (protocols []split.Protocol) {
	known := make([]string, len(split.Protocols))
	for i, protocol := range split.Protocols {
		known[i] = string(protocol)
	}
	for _, name := range p.names(n, "protocols", "protocol", known, nil) {
		protocols = append(protocols, split.Protocol(name))
	}
	return protocols
}

func (p *parser) readSeed(n *document.Node) {
	if n.Is == document.List {
		p.Errorf(n.At, "seed is a list; want one whole number, and for each further seed a run with -seed NUMBER and the same -out")
		return
	}
	v, ok := p.Single(n)
	if !ok {
		return
	}
	i, isInt := v.(int)
	if !isInt || i < 0 {
		p.Errorf(n.At, "seed: %s is not allowed, want a whole number >= 0, in plain decimal digits", written(n, v))
		return
	}
	p.sweep.Seed = uint64(i)
}

// written is a single value as the file has it, text in quotes: "3" is no number, and 3.0 not 3.
func written(n *document.Node, v any) string {
	word, _ := n.Word()
	if _, isText := v.(string); isText {
		return strconv.Quote(word)
	}
	return word
}

// names reads a list of different names out of the known ones, which for data sets of one's own were looked for in folders.
func (p *parser) names(n *document.Node, what, one string, known, folders []string) []string {
	var names []string
	first := map[string]document.Position{}
	for _, e := range p.Sequence(n, what) {
		name, ok := p.Text(e, one)
		if !ok {
			continue
		}
		if !slices.Contains(known, name) {
			p.Errorf(e.At, "unknown %s %q%s", one, name, dataset.Unknown(name, folders, known))
			continue
		}
		if before, twice := first[name]; twice {
			p.Errorf(e.At, "%s %q is listed twice (first at %s)", one, name, before)
			continue
		}
		first[name] = e.At
		names = append(names, name)
	}
	return names
}

func (p *parser) readDatasets(n *document.Node) {
	known := make([]string, len(p.catalogue.Datasets))
	for i, info := range p.catalogue.Datasets {
		known[i] = info.Name
	}
	p.sweep.Datasets = p.names(n, "datasets", "data set", known, p.catalogue.Folders)
	for _, name := range p.sweep.Datasets {
		p.infos = append(p.infos, p.catalogue.Datasets[slices.Index(known, name)])
	}
}

func (p *parser) readSelect(n *document.Node) {
	nodes, _ := p.Object(n, "select", "regression", "classification")
	choose := func(key string, target *string, known []string) {
		if nodes[key] == nil {
			return
		}
		name, ok := p.Text(nodes[key], key)
		if ok && !slices.Contains(known, name) {
			p.Errorf(nodes[key].At, "unknown %s metric %q%s", key, name, spelling.Hint(name, known))
		}
		*target = name
	}
	choose("regression", &p.sweep.Select.Regression, regressionMetrics)
	choose("classification", &p.sweep.Select.Classification, classificationMetrics)
	for _, info := range p.infos {
		if info.Problem == dataset.MultiClass && p.sweep.Select.Classification == metric.AUROC.Name {
			p.Errorf(nodes["classification"].At, "auroc needs two classes and %s has %d; want nll or accuracy", info.Name, info.Classes)
		}
	}
}

func (p *parser) readBudget(n *document.Node) {
	nodes, _ := p.Object(n, "budget", "time", "memory")
	if t := nodes["time"]; t != nil {
		v, ok := p.Single(t)
		d, err := time.ParseDuration(fmt.Sprint(v))
		if ok && (err != nil || d <= 0 || d > maxTime) {
			p.Errorf(t.At, "time: %v is not a duration above zero and up to %.0fh, such as 90s, 10m or 2h30m (leave it out for no limit)", v, maxTime.Hours())
		}
		p.sweep.Budget.Time = d
	}
	if m := nodes["memory"]; m != nil {
		v, ok := p.Single(m)
		bytes, good := parseSize(fmt.Sprint(v))
		if ok && !good {
			p.Errorf(m.At, "memory: %v is not a size above zero, such as 512MiB or 4GiB, in B, KB, MB, GB, TB, KiB, MiB, GiB or TiB (leave it out for no limit)", v)
		}
		p.sweep.Budget.Memory = bytes
	}
}

// parseSize reads a number with a unit of bytes, decimal (MB) or binary (MiB).
func parseSize(s string) (bytes int64, ok bool) {
	digits := strings.TrimRight(s, "KMGTiB")
	scale, ok := map[string]float64{
		"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
	}[s[len(digits):]]
	x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	x *= scale
	if !ok || err != nil || !(x >= 1 && x < math.MaxInt64) {
		return 0, false
	}
	return int64(x), true
}
