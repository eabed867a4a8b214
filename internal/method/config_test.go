package method

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"nptbench/internal/dataset"
)

var trees = &Method{
	Name: "trees",
	Params: []Param{
		{Name: "count", Type: Int, Default: 100, Min: 1, Max: 1000},
		{Name: "rate", Type: Float, Default: 0.1},
		{Name: "bag", Type: Bool, Default: true},
		{Name: "criterion", Type: Choice, Default: "gini", Choices: []string{"gini", "entropy"},
			RegressionDefault: "mse", RegressionChoices: []string{"mse", "mae"}},
		{Name: "sizes", Type: Ints, Default: []int{10}, Min: 1},
		{Name: "late", Type: Bool, Default: false, Optional: true},
	},
	Check: func(c Config, _ dataset.Info) error {
		if c.Bool("bag") && c.Int("count") == 13 {
			return fmt.Errorf("count: 13 trees cannot be bagged")
		}
		return nil
	},
}

func TestResolve(t *testing.T) {
	c, err := trees.Resolve(map[string]any{"count": uint64(5), "rate": 1, "sizes": []any{uint64(3), 4.0}}, dataset.Info{Problem: dataset.Regression})
	if err != nil {
		t.Fatal(err)
	}
	want := Config{"count": 5, "rate": 1.0, "bag": true, "criterion": "mse", "sizes": []int{3, 4}}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %v, want %v", c, want)
	}
	if got, want := c.JSON(), `{"bag":true,"count":5,"criterion":"mse","rate":1,"sizes":[3,4]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if c, _ := trees.Resolve(nil, dataset.Info{Problem: dataset.Binary}); c.String("criterion") != "gini" {
		t.Errorf("default for classes is %v", c["criterion"])
	}
}

// A parameter that came later is no part of configurations that do not use it.
func TestOptional(t *testing.T) {
	without, err := trees.Resolve(map[string]any{"late": false}, dataset.Info{})
	if err != nil || without.Has("late") || strings.Contains(without.JSON(), "late") {
		t.Errorf("%v, error %v", without, err)
	}
	with, err := trees.Resolve(map[string]any{"late": true}, dataset.Info{})
	if err != nil || !with.Has("late") || !with.Bool("late") || with.JSON() == without.JSON() {
		t.Errorf("%v, error %v", with, err)
	}
	if got := with.Without("late"); got.JSON() != without.JSON() || !with.Has("late") {
		t.Errorf("%v", got)
	}
}

func TestResolveRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		v    any
		want string
	}{
		{"cuont", 1, `cuont: trees has no such parameter (did you mean "count"?)`},
		{"count", 0, "count: 0 is not allowed, want integer from 1 to 1000"},
		{"count", 1001, "count: 1001 is not allowed, want integer from 1 to 1000"},
		{"count", 1.5, "count: 1.5 is not allowed, want integer from 1 to 1000"},
		{"count", "5", `count: "5" is not allowed, want integer from 1 to 1000`},
		{"count", 13, "count: 13 trees cannot be bagged"},
		{"rate", -0.1, "rate: -0.1 is not allowed, want number >= 0"},
		{"bag", "yes", `bag: "yes" is not allowed, want true or false`},
		{"criterion", "entropi", `criterion: "entropi" is not allowed, want one of gini, entropy (did you mean "entropy"?)`},
		{"criterion", "mse", `criterion: "mse" is not allowed, want one of gini, entropy`},
		{"sizes", []any{}, "sizes: [] is not allowed, want list of integers >= 1"},
		{"sizes", []any{0}, "sizes: [0] is not allowed, want list of integers >= 1"},
		{"sizes", 3, "sizes: 3 is not allowed, want list of integers >= 1"},
	} {
		_, err := trees.Resolve(map[string]any{c.name: c.v}, dataset.Info{Problem: dataset.Binary})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s = %v: got %v, want %s", c.name, c.v, err, c.want)
		}
	}
}

// A method that leaves its parameters open has them as they are given, 2.0 not as 2: max_features=1.0 is another forest than max_features=1.
func TestAnyParams(t *testing.T) {
	open := &Method{Name: "open", Command: &Command{}, Params: []Param{{Name: "command", Type: Choice, Default: "x", Choices: []string{"x"}}}}
	given := map[string]any{"depth": uint64(3), "rate": -0.5, "size": 2.0, "huge": 1e16, "fast": false, "loss": "log loss"}
	c, err := open.Resolve(given, dataset.Info{})
	want := Config{"command": "x", "depth": 3, "rate": -0.5, "size": json.Number("2.0"), "huge": 1e16, "fast": false, "loss": "log loss"}
	if err != nil || !reflect.DeepEqual(c, want) {
		t.Errorf("%v, error %v, want %v", c, err, want)
	}
	var again Config // as a worker gets it
	if err := json.Unmarshal([]byte(c.JSON()), &again); err != nil {
		t.Fatal(err)
	}
	if again, err = open.Resolve(again, dataset.Info{}); err != nil || !reflect.DeepEqual(again, want) {
		t.Errorf("%v from %s, error %v, want %v", again, c.JSON(), err, want)
	}
	for name, v := range map[string]any{
		"=x": 1, "a b": 1, "": 1, "list": []any{1}, "nothing": nil, "infinite": math.Inf(1), "lines": "a\nb", "wide": 1 << 53, "command": "y",
	} {
		if c, err := open.Resolve(map[string]any{name: v}, dataset.Info{}); err == nil || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%q = %v: %v, error %v", name, v, c, err)
		}
	}
}

// Every configuration that is accepted is accepted again from its JSON, as the same: a worker gets it that way.
func TestRoundTrip(t *testing.T) {
	for _, v := range []any{1 << 20, int64(1<<53 - 1), uint64(1<<53 - 1), 1<<53 - 1, 1 << 53, 1<<53 + 1, int64(-1 << 53), uint64(1 << 63)} {
		for _, name := range []string{"wide", "rate", "sizes"} {
			given := v
			if name == "sizes" {
				given = []any{v}
			}
			m := &Method{Name: "m", Params: []Param{
				{Name: "wide", Type: Int, Default: 1}, {Name: "rate", Type: Float, Default: 0.1}, {Name: "sizes", Type: Ints, Default: []int{1}},
			}}
			c, err := m.Resolve(map[string]any{name: given}, dataset.Info{})
			if err != nil {
				continue
			}
			var sent map[string]any
			if err := json.Unmarshal([]byte(c.JSON()), &sent); err != nil {
				t.Fatal(err)
			}
			if again, err := m.Resolve(sent, dataset.Info{}); err != nil || !reflect.DeepEqual(again, c) {
				t.Errorf("%s = %v: %v in the worker, %v", name, v, again, err)
			}
		}
	}
	for v, ok := range map[int]bool{1<<53 - 1: true, 1 << 53: false, 1<<53 + 1: false} {
		if _, err := trees.Resolve(map[string]any{"sizes": []int{v}}, dataset.Info{}); (err == nil) != ok {
			t.Errorf("%d: %v", v, err)
		}
	}
}

func TestWithLeavesTheOriginal(t *testing.T) {
	a := Config{"x": 1}
	if b := a.With("x", 2); a.Int("x") != 1 || b.Int("x") != 2 {
		t.Errorf("got %v and %v", a, b)
	}
	if !strings.Contains(a.JSON(), `"x":1`) {
		t.Error(a.JSON())
	}
}

// One setting has one identity: -0 is 0.
func TestNegativeZero(t *testing.T) {
	for _, zero := range []any{0.0, math.Copysign(0, -1)} {
		c, err := trees.Resolve(map[string]any{"rate": zero}, dataset.Info{Problem: dataset.Regression})
		if err != nil || math.Signbit(c.Float("rate")) {
			t.Errorf("%v: %v, %v", zero, c, err)
		}
	}
}
