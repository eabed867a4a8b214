package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// An event is a line of "go test -json", see "go doc test2json". Those about a package as a whole have no Test.
type event struct {
	Action, Package, Test, Output string
}

// A name is that of a test, or of a subtest, as PARENT/CHILD.
type name struct{ pkg, test string }

func (n name) String() string { return path.Base(n.pkg) + "." + n.test }

// A count is what became of tests: each subtest counts, and so does its parent.
type count struct {
	outcome map[name]string // "pass", "fail" or "skip"
	reason  map[name]string // of those that were skipped
}

// read reads the events of all tests, and writes what "go test" without -json would.
func read(events io.Reader, w io.Writer) (*count, error) {
	c := &count{outcome: map[name]string{}, reason: map[name]string{}}
	output := map[name]string{} // of tests that have not ended
	for d := json.NewDecoder(events); ; {
		var e event
		switch err := d.Decode(&e); {
		case errors.Is(err, io.EOF):
			c.skipParents()
			return c, nil
		case err != nil:
			return c, fmt.Errorf("go test -json wrote what is no event: %w", err)
		}
		n := name{e.Package, e.Test}
		switch {
		case strings.HasSuffix(e.Action, "output") && e.Test == "": // also "build-output"
			if e.Output != "PASS\n" {
				io.WriteString(w, e.Output)
			}
		case e.Action == "output":
			output[n] += e.Output
		case e.Action == "fail" && e.Test == "": // a crash ends tests without an event
			for cut, text := range output {
				if cut.pkg == e.Package {
					io.WriteString(w, text)
					c.outcome[cut] = "fail"
					delete(output, cut)
				}
			}
		case e.Test != "" && slices.Contains([]string{"pass", "fail", "skip"}, e.Action):
			if e.Action == "fail" {
				io.WriteString(w, output[n])
			}
			c.outcome[n], c.reason[n] = e.Action, reason(output[n])
			delete(output, n)
		}
	}
}

const allSkipped = "all its subtests are skipped"

// skipParents takes a test for skipped if it has subtests and all of those are.
func (c *count) skipParents() {
	deepest := slices.SortedFunc(maps.Keys(c.outcome), func(a, b name) int { return strings.Count(b.test, "/") - strings.Count(a.test, "/") })
	ran, skipped := map[name]bool{}, map[name]bool{} // whether any subtest was
	for _, n := range deepest {
		if c.outcome[n] == "pass" && skipped[n] && !ran[n] {
			c.outcome[n], c.reason[n] = "skip", allSkipped
		}
		if i := strings.LastIndex(n.test, "/"); i >= 0 {
			parent := name{n.pkg, n.test[:i]}
			if c.outcome[n] == "skip" {
				skipped[parent] = true
			} else {
				ran[parent] = true
			}
		}
	}
}

var location = regexp.MustCompile(`(?m)^\s*\w+\.go:\d+: `)

// reason is the last message that a test printed before it was skipped.
func reason(output string) string {
	all := location.FindAllStringIndex(output, -1)
	if all == nil {
		return "without a reason"
	}
	text, _, _ := strings.Cut(output[all[len(all)-1][1]:], "--- SKIP")
	return strings.Join(strings.Fields(text), " ")
}

// print writes each reason for skipping with its number, and then all numbers. It returns how many were skipped for reasons
// that are not allowed.
func (c *count) print(w io.Writer, allowed *regexp.Regexp) (refused int) {
	reasons, outcomes := map[string][]name{}, map[string]int{}
	for n, outcome := range c.outcome {
		outcomes[outcome]++
		if outcome == "skip" {
			reasons[c.reason[n]] = append(reasons[c.reason[n]], n)
		}
	}
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		tests := reasons[why]
		slices.SortFunc(tests, func(a, b name) int { return strings.Compare(a.pkg+a.test, b.pkg+b.test) })
		mark := ""
		if why != allSkipped && !allowed.MatchString(why) {
			mark = "NOT ALLOWED HERE: "
			refused += len(tests)
		}
		fmt.Fprintf(w, "skipped %d: %s%s (%s", len(tests), mark, why, tests[0])
		if len(tests) > 1 {
			io.WriteString(w, ", ...")
		}
		io.WriteString(w, ")\n")
	}
	fmt.Fprintf(w, "%d tests passed, %d failed, %d skipped\n", outcomes["pass"], outcomes["fail"], outcomes["skip"])
	return refused
}
