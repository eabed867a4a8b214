package method

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"nptbench/internal/dataset"
	"nptbench/internal/spelling"
)

// Type is the type of a parameter's values.
type Type uint8

const (
	Int    Type = iota // int
	Float              // float64
	Bool               // bool
	Choice             // string, one of Param.Choices
	Ints               // []int, at least one, each within the bounds
	Any                // int, where the number is whole, float64, bool or a line of text
)

func (t Type) String() string {
	return [...]string{"integer", "number", "boolean", "choice", "list of integers", "number, true, false or a line of text"}[t]
}

// A Param declares one parameter of a method. It is the only place where the parameter is described: sweep checking,
// -help and the documentation are made from it.
type Param struct {
	Name    string
	Type    Type
	Default any      // int, float64, bool, string or []int, as Type says: 0.0, not 0, of a Float
	Choices []string // of a Choice
	Min     float64  // Int, Float and Ints: smallest value allowed
	Max     float64  // Int, Float and Ints: largest value allowed; 0 means no upper bound
	Doc     string   // one line, with the unit

	// Optional parameters are in a configuration only where they are not at their default. What is declared when there are
	// records already has to be: their cells keep their identity, and fits their seeds.
	Optional bool

	// For regression, where they differ from classification (nil: the same).
	RegressionDefault any
	RegressionChoices []string
}

func (p *Param) choices(kind dataset.Problem) []string {
	if kind == dataset.Regression && p.RegressionChoices != nil {
		return p.RegressionChoices
	}
	return p.Choices
}

func (p *Param) defaultFor(kind dataset.Problem) any {
	if kind == dataset.Regression && p.RegressionDefault != nil {
		return p.RegressionDefault
	}
	return p.Default
}

// Allowed describes the legal values, as in "integer >= 1" or "one of gini, entropy".
func (p *Param) Allowed(kind dataset.Problem) string {
	switch p.Type {
	case Choice:
		return "one of " + strings.Join(p.choices(kind), ", ")
	case Bool:
		return "true or false"
	case Any:
		return p.Type.String()
	}
	bound := func(x float64) any {
		if p.Type == Float {
			return x
		}
		return int64(x) // 1000000, not 1e+06
	}
	if p.Max != 0 {
		return fmt.Sprintf("%s from %v to %v", p.Type, bound(p.Min), bound(p.Max))
	}
	return fmt.Sprintf("%s >= %v", p.Type, bound(p.Min))
}

// value turns v, as a YAML or JSON decoder gives it, into the parameter's type, or says what would be right.
func (p *Param) value(v any, kind dataset.Problem) (any, error) {
	wrong := func() error { return fmt.Errorf("%s: %v is not allowed, want %s", p.Name, show(v), p.Allowed(kind)) }
	within := func(x float64) bool { return x >= p.Min && (p.Max == 0 || x <= p.Max) && !math.IsInf(x, 0) }
	switch p.Type {
	case Int:
		if n, ok := asInt(v); ok && within(float64(n)) {
			return n, nil
		}
	case Float:
		if x, ok := asFloat(v); ok && within(x) {
			return x, nil
		}
	case Bool:
		if b, ok := v.(bool); ok {
			return b, nil
		}
	case Choice:
		s, ok := v.(string)
		if ok && slices.Contains(p.choices(kind), s) {
			return s, nil
		}
		if n := spelling.Nearest(s, p.choices(kind)); ok && n != "" {
			return nil, fmt.Errorf("%w (did you mean %q?)", wrong(), n)
		}
	case Ints:
		list, ok := v.([]any)
		if ints, isInts := v.([]int); isInts {
			for _, n := range ints {
				list = append(list, n)
			}
			ok = true
		}
		out := make([]int, 0, len(list))
		for _, e := range list {
			n, isInt := asInt(e)
			if !isInt || !within(float64(n)) {
				return nil, wrong()
			}
			out = append(out, n)
		}
		if ok && len(out) > 0 {
			return out, nil
		}
	case Any:
		switch x := v.(type) {
		case bool, json.Number:
			return x, nil
		case float64:
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, wrong()
			}
			if _, whole := asInt(x); whole { // in other languages 1.0 may mean something else than 1
				return json.Number(strconv.FormatFloat(x, 'f', 1, 64)), nil
			}
			return x, nil
		case string:
			if !strings.ContainsFunc(x, func(r rune) bool { return !unicode.IsPrint(r) }) {
				return x, nil
			}
		}
		if n, ok := asInt(v); ok {
			return n, nil
		}
	}
	return nil, wrong()
}

func show(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprint(v)
}

// asInt accepts whole numbers below 2^53, which JSON keeps.
func asInt(v any) (int, bool) {
	const bound = 1 << 53
	switch v := v.(type) {
	case int:
		return v, -bound < v && v < bound
	case int64:
		return int(v), -bound < v && v < bound
	case uint64:
		return int(v), v < bound
	case float64: // JSON has no integers
		return int(v), v == math.Trunc(v) && math.Abs(v) < bound
	}
	return 0, false
}

func asFloat(v any) (float64, bool) {
	if x, ok := v.(float64); ok {
		return x + 0, !math.IsNaN(x) // not -0
	}
	n, ok := asInt(v)
	return float64(n), ok
}

// A Config has a method's parameters, but optional ones at their default, as int, float64, bool, string or []int. A whole number of type
// Any that was written as 1.0 is a json.Number, which is written as that again.
type Config map[string]any

func (c Config) Int(name string) int       { return c[name].(int) }
func (c Config) Float(name string) float64 { return c[name].(float64) }
func (c Config) Bool(name string) bool     { return c[name].(bool) }
func (c Config) String(name string) string { return c[name].(string) }
func (c Config) Ints(name string) []int    { return c[name].([]int) }

// Has reports whether an optional parameter is there.
func (c Config) Has(name string) bool { return c[name] != nil }

// Without returns a copy without the named parameter.
func (c Config) Without(name string) Config {
	out := maps.Clone(c)
	delete(out, name)
	return out
}

// With returns a copy in which the named parameter has another value.
func (c Config) With(name string, value any) Config {
	out := maps.Clone(c)
	out[name] = value
	return out
}

// JSON is the canonical form: one line, keys in order. Equal configurations have equal forms.
func (c Config) JSON() string {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // resolved values always marshal
	}
	return string(b)
}

// UnmarshalJSON reads what JSON writes: 1.0 is not 1.
func (c *Config) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode((*map[string]any)(c)); err != nil {
		return err
	}
	for name, v := range *c {
		(*c)[name] = numbers(v)
	}
	return nil
}

// numbers turns those of a JSON value into ints and, but for a whole one with a point, float64.
func numbers(v any) any {
	switch x := v.(type) {
	case []any:
		for i := range x {
			x[i] = numbers(x[i])
		}
	case json.Number:
		if f, err := x.Float64(); err == nil && !strings.HasSuffix(x.String(), ".0") {
			if n, whole := asInt(f); whole {
				return n
			}
			return f
		}
	}
	return v
}

var paramName = regexp.MustCompile(`^[A-Za-z_][-A-Za-z0-9_.]*$`)

// Param returns the declaration of the named parameter, or nil.
func (m *Method) Param(name string) *Param {
	for i := range m.Params {
		if m.Params[i].Name == name {
			return &m.Params[i]
		}
	}
	if m.Command != nil && paramName.MatchString(name) {
		return &Param{Name: name, Type: Any, Optional: true}
	}
	return nil
}

// Resolve completes the given parameters by defaults and checks names, types, bounds and, through Check, combinations.
// The error is one line that begins with the parameter's name.
func (m *Method) Resolve(given map[string]any, info dataset.Info) (Config, error) {
	c := make(Config, len(m.Params))
	for i := range m.Params {
		if p := &m.Params[i]; !p.Optional {
			c[p.Name] = p.defaultFor(info.Problem)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		p := m.Param(name)
		if p == nil {
			return nil, fmt.Errorf("%s: %s has no such parameter%s", name, m.Name, spelling.Hint(name, m.ParamNames()))
		}
		v, err := p.value(given[name], info.Problem)
		if err != nil {
			return nil, err
		}
		if !p.Optional || !reflect.DeepEqual(v, p.defaultFor(info.Problem)) {
			c[name] = v
		}
	}
	if m.Check != nil {
		if err := m.Check(c, info); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// ParamNames lists the parameters in the order of declaration.
func (m *Method) ParamNames() []string {
	names := make([]string, len(m.Params))
	for i, p := range m.Params {
		names[i] = p.Name
	}
	return names
}
