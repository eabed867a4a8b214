package sweeps

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"nptbench/internal/command"
	"nptbench/internal/dataset"
	"nptbench/internal/document"
	"nptbench/internal/measure"
	"nptbench/internal/method"
	"nptbench/internal/spelling"
)

// An entry is one item of methods: a method, data sets, and the product of its dimensions.
type entry struct {
	at     document.Position
	method *method.Method
	plain  *method.Method   // the method without its Check, to look at values one by one
	kinds  [][]dataset.Info // the entry's data sets, those with the same kind of task together

	dimensions [][]choice
	measures   []measuring
	set        map[string]document.Position // where a parameter gets its value
	broken     bool                         // mistakes were found; expansion would only repeat them
}

// A choice is one way to go in a dimension: a line of list, a variant, one value of a grid's parameter.
type choice struct {
	at      document.Position // of a line or a variant; zero for params and grids, which do not make a setting by themselves
	variant string
	values  []value
}

// A value is a parameter's value as the file has it.
type value struct {
	name string
	at   document.Position
	raw  any
}

// A measuring is what is to be measured on the model of every setting of an entry.
type measuring struct {
	*measure.Measurement
	at   document.Position
	with map[string]any
}

func (p *parser) readMethods(n *document.Node) {
	covered := map[string]bool{}
	for _, item := range p.Sequence(n, "methods") {
		e := p.readEntry(item)
		if e == nil {
			continue
		}
		for _, info := range slices.Concat(e.kinds...) {
			covered[info.Name] = true
		}
		if !e.broken {
			p.expand(e)
		}
	}
	for _, name := range p.sweep.Datasets {
		if !covered[name] && len(p.Errors) == 0 {
			p.Errorf(n.At, "no method is run on %s; take it out of datasets or give it a method", name)
		}
	}
}

// readEntry returns nil when there is no method to speak of.
func (p *parser) readEntry(n *document.Node) *entry {
	nodes, ok := p.Object(n, "a method's entry", "method", "command", "title", "datasets", "params", "grid", "list", "variants", "measure")
	if !ok {
		return nil
	}
	if nodes["method"] == nil {
		p.Errorf(n.At, "the entry has no method; add method: NAME")
		return nil
	}
	m := p.readMethod(nodes["method"], nodes["command"], nodes["title"])
	if m == nil {
		return nil
	}
	plain := *m
	plain.Check = nil
	e := &entry{at: n.At, method: m, plain: &plain, kinds: p.entryDatasets(nodes["datasets"]), set: map[string]document.Position{}}
	before := len(p.Errors)
	if v := nodes["params"]; v != nil {
		p.addDimension(e, []choice{{values: p.readValues(e, v, "params")}})
	}
	if v := nodes["variants"]; v != nil {
		p.readVariants(e, v)
	}
	if v := nodes["list"]; v != nil {
		var lines []choice
		for _, line := range p.Sequence(v, "list") {
			lines = append(lines, choice{at: line.At, values: p.readValues(e, line, "an item of list")})
		}
		p.addDimension(e, lines)
	}
	if v := nodes["grid"]; v != nil {
		p.readGrid(e, v)
	}
	if v := nodes["measure"]; v != nil {
		p.readMeasures(e, v)
	}
	e.broken = len(p.Errors) > before
	return e
}

// readMeasures reads {measurement: {parameter: value, ...}}, with a list of such parameters where it is to be made several times.
func (p *parser) readMeasures(e *entry, n *document.Node) {
	var known []string
	for _, m := range p.catalogue.Measurements {
		known = append(known, m.Name)
	}
	if p.Expect(n, "measure", document.Mapping) && len(n.Fields) == 0 {
		p.Errorf(n.At, "measure is empty; name at least one measurement, as in {corruption: {}}")
	}
	for _, f := range n.Fields {
		at := slices.Index(known, f.Key)
		if at < 0 {
			p.Errorf(f.At, "unknown measurement %q%s", f.Key, spelling.Hint(f.Key, known))
			continue
		}
		times := []*document.Node{f.Value}
		if f.Value.Is == document.List {
			times = p.Sequence(f.Value, f.Key)
		}
		for _, one := range times {
			m := measuring{p.catalogue.Measurements[at], one.At, map[string]any{}}
			p.Expect(one, "the parameters of "+f.Key, document.Mapping)
			for _, param := range one.Fields {
				raw, ok := p.Value(param.Value)
				if !ok {
					continue
				}
				if _, err := m.Resolve(map[string]any{param.Key: raw}, dataset.Info{}); err != nil {
					p.Errorf(param.At, "%v", err)
				}
				m.with[param.Key] = raw
			}
			e.measures = append(e.measures, m)
		}
	}
}

// readMethod finds a method, or declares it if there is a command.
func (p *parser) readMethod(n, args, title *document.Node) *method.Method {
	name, ok := p.Text(n, "method")
	if !ok {
		return nil
	}
	methods := slices.Concat(p.catalogue.Methods, p.commands)
	known := make([]string, len(methods))
	var found *method.Method
	for i, m := range methods {
		if known[i] = m.Name; m.Name == name {
			found = m
		}
	}
	switch {
	case args != nil && found != nil:
		p.Errorf(args.At, "there is a method %s already; a command needs a name of its own, given once", name)
	case args != nil:
		return p.readCommand(name, n.At, args, title)
	case title != nil:
		p.Errorf(title.At, "title: only where a command is declared")
	case found == nil:
		p.Errorf(n.At, "unknown method %q%s", name, spelling.Hint(name, known))
	}
	return found
}

func (p *parser) readCommand(name string, at document.Position, args, title *document.Node) *method.Method {
	if !MethodName.MatchString(name) {
		p.Errorf(at, "the name of a command, %q, needs small letters, digits and hyphens only, a letter first", name)
	}
	dir, err := filepath.Abs(filepath.Dir(p.File)) // tasks of a cluster may begin in another folder than this process
	if err != nil {
		p.Errorf(args.At, "command: %v", err)
		return nil
	}
	c := method.Command{Name: name, Title: name, Dir: dir}
	for i, item := range p.Sequence(args, "command") {
		arg, _ := p.Text(item, "an argument of command")
		c.Args = append(c.Args, arg)
		if err := command.CheckFile(c, i); err != nil {
			p.Errorf(item.At, "command: %v", err)
		}
	}
	if title != nil {
		if c.Title, _ = p.Text(title, "title"); !Title.MatchString(c.Title) {
			p.Errorf(title.At, "title: %q is no title; want letters, digits, spaces and any of %s", c.Title, titleSigns)
		}
	}
	if len(c.Args) == 0 {
		return nil
	}
	if c.Args[0] == "" {
		p.Errorf(args.At, "command: its first word is empty; want a program")
	}
	if c.Digest, err = command.Digest(c); err != nil {
		p.Errorf(args.At, "command: %v", err)
	}
	m := command.New(c)
	p.commands = append(p.commands, m)
	return m
}

// entryDatasets returns the entry's data sets, all of the sweep's when it names none, grouped by kind of task.
func (p *parser) entryDatasets(n *document.Node) [][]dataset.Info {
	infos := p.infos
	if n != nil && len(p.sweep.Datasets) > 0 {
		infos = nil
		for _, name := range p.names(n, "datasets", "data set of this sweep", p.sweep.Datasets, nil) {
			infos = append(infos, p.infos[slices.Index(p.sweep.Datasets, name)])
		}
	}
	var kinds [][]dataset.Info
	for _, kind := range []dataset.Problem{dataset.Regression, dataset.Binary, dataset.MultiClass} {
		var same []dataset.Info
		for _, info := range infos {
			if info.Problem == kind {
				same = append(same, info)
			}
		}
		if len(same) > 0 {
			kinds = append(kinds, same)
		}
	}
	return kinds
}

func (p *parser) readVariants(e *entry, n *document.Node) {
	if p.Expect(n, "variants", document.Mapping) && len(n.Fields) == 0 {
		p.Errorf(n.At, "variants is empty; give at least one, as in {base: {}}")
	}
	var variants []choice
	for _, f := range n.Fields {
		if !Title.MatchString(f.Key) {
			p.Errorf(f.At, "a variant needs a name of letters, digits, spaces and any of %s that begins with a letter or a digit, not %q", titleSigns, f.Key)
		}
		values := p.readValues(e, f.Value, fmt.Sprintf("variant %q", f.Key))
		variants = append(variants, choice{at: f.At, variant: f.Key, values: values})
	}
	p.addDimension(e, variants)
}

func (p *parser) readGrid(e *entry, n *document.Node) {
	if p.Expect(n, "grid", document.Mapping) && len(n.Fields) == 0 {
		p.Errorf(n.At, "grid is empty; give at least one parameter with its values")
	}
	for _, f := range n.Fields {
		if !p.knownParam(e, f) {
			continue
		}
		var choices []choice
		first := map[string]document.Position{}
		for _, v := range p.Sequence(f.Value, f.Key) {
			values := p.readValue(e, f.Key, v)
			if key := e.meaning(values); key != "" {
				if before, twice := first[key]; twice {
					p.Errorf(v.At, "%s: the value is listed twice (first at %s)", f.Key, before)
				}
				first[key] = v.At
			}
			choices = append(choices, choice{values: values})
		}
		p.addDimension(e, choices)
	}
}

// readValues reads {parameter: value, ...}.
func (p *parser) readValues(e *entry, n *document.Node, what string) []value {
	var values []value
	p.Expect(n, what, document.Mapping)
	for _, f := range n.Fields {
		if p.knownParam(e, f) {
			values = append(values, p.readValue(e, f.Key, f.Value)...)
		}
	}
	return values
}

func (p *parser) knownParam(e *entry, f document.Field) bool {
	if e.method.Param(f.Key) != nil {
		return true
	}
	if e.method.Command != nil {
		p.Errorf(f.At, "a parameter of %s needs a name of letters, digits and any of _-. that begins with a letter, not %q", e.method.Name, f.Key)
		return false
	}
	p.Errorf(f.At, "%s has no parameter %q%s", e.method.Name, f.Key, spelling.Hint(f.Key, e.method.ParamNames()))
	return false
}

// readValue reads a parameter's value and checks that every kind of task in the entry allows it. It returns one value, or
// none when there is none to be had.
func (p *parser) readValue(e *entry, name string, n *document.Node) []value {
	raw, ok := p.Value(n)
	if !ok {
		return nil
	}
	if text := e.refusal(name, raw); text != "" {
		p.Errorf(n.At, "%s", text)
	}
	return []value{{name, n.At, raw}}
}

// refusal says why a value is not allowed, and for which data set if there are others that allow it, or is empty. An entry
// whose data sets are all mistaken may be for any kind of task: then a value is refused that none of them allows.
func (e *entry) refusal(name string, raw any) string {
	kinds := e.kinds
	if len(kinds) == 0 {
		kinds = [][]dataset.Info{{{Problem: dataset.Regression}}, {{Problem: dataset.Binary}}}
	}
	var refused dataset.Info
	var texts []string
	for _, kind := range kinds {
		if _, err := e.plain.Resolve(map[string]any{name: raw}, kind[0]); err != nil {
			if len(texts) == 0 {
				refused = kind[0]
			}
			texts = append(texts, err.Error())
		}
	}
	switch {
	case len(texts) == len(kinds) && len(slices.Compact(texts)) == 1:
		return fmt.Sprintf("%s: %s", e.method.Name, texts[0])
	case len(texts) > 0 && refused.Name != "":
		return fmt.Sprintf("%s on %s (%s): %s", e.method.Name, refused.Name, refused.Problem, texts[0])
	case len(texts) == len(kinds):
		return fmt.Sprintf("%s (%s): %s", e.method.Name, refused.Problem, texts[0])
	}
	return ""
}

// meaning identifies a value by what it stands for: 1 and 1.0 are the same number. It is empty for no or a wrong value.
func (e *entry) meaning(values []value) string {
	if len(values) == 0 || len(e.kinds) == 0 {
		return ""
	}
	v := values[0]
	config, err := e.plain.Resolve(map[string]any{v.name: v.raw}, e.kinds[0][0])
	if err != nil {
		return ""
	}
	return method.Config{v.name: config[v.name]}.JSON()
}

// addDimension notes parameters that have their value from another dimension already.
func (p *parser) addDimension(e *entry, choices []choice) {
	own := map[string]document.Position{}
	for _, c := range choices {
		for _, v := range c.values {
			if _, known := own[v.name]; known {
				continue
			}
			own[v.name] = v.at
			if before, twice := e.set[v.name]; twice {
				p.Errorf(v.at, "%s is set at %s already; set it in one of params, variants, list and grid", v.name, before)
			}
		}
	}
	maps.Copy(e.set, own)
	e.dimensions = append(e.dimensions, choices)
}
