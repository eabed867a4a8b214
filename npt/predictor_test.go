package npt_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nptbench/npt"
)

// The program in EXTENDING.md runs as it stands there, and prints what is shown below it.
func TestDocumentedProgram(t *testing.T) {
	document, err := os.ReadFile("../EXTENDING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(document), "\n## NPT from Go\n")
	_, program, _ := strings.Cut(section, "```go\n")
	program, rest, _ := strings.Cut(program, "```")
	shown := regexp.MustCompile(`(?m)^    (.* costs) (\d+)$`).FindAllStringSubmatch(rest, -1)
	path := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(path, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "go", "run", path)
	run.Dir = ".."
	printed, err := run.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(printed)), "\n")
	if err != nil || len(shown) != 4 || len(lines) != len(shown) {
		t.Fatalf("%v, %q; the document shows %q", err, lines, shown)
	}
	for i, line := range shown {
		label, number, _ := strings.Cut(lines[i], " costs ")
		price, err := strconv.ParseFloat(number, 64)
		want, _ := strconv.ParseFloat(line[2], 64)
		if label+" costs" != line[1] || err != nil || !(math.Abs(price/want-1) <= 0.1) { // backends round differently
			t.Errorf("%q is printed, the document shows %q", lines[i], line[0])
		}
	}
}

func small() npt.Config {
	c := npt.DefaultConfig()
	c.Hidden, c.Layers, c.Heads, c.Steps, c.LR, c.EvalEvery = 8, 2, 2, 120, 0.01, 10
	return c
}

// frame has 120 rows: x is a number, side says on which side of 0 it is, and y is 10 x + 100; some entries are missing.
func frame() *npt.Frame {
	f := &npt.Frame{Names: []string{"x", "side", "y"}}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 120 {
		x := rng.NormFloat64()
		side, text := "left", fmt.Sprintf("%.4f", x)
		if x > 0 {
			side = "right"
		}
		if i%10 == 3 {
			text = "NA"
		}
		f.Rows = append(f.Rows, []string{text, side, fmt.Sprintf("%.4f", 10*x+100)})
	}
	return f
}

// frameWithSame is frame with a fourth column that is 3 in all rows.
func frameWithSame() *npt.Frame {
	f := frame()
	f.Names = append(f.Names, "same")
	for i := range f.Rows {
		f.Rows[i] = append(f.Rows[i], "3")
	}
	return f
}

// Predictions have the units of the target, whatever the order of the columns; classes come by name.
func TestFitFrame(t *testing.T) {
	p, err := npt.Fit(t.Context(), frame(), "y", small())
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Predict(t.Context(), &npt.Frame{Names: []string{"side", "x"}, Rows: [][]string{{"left", "-1"}, {"right", "1"}, {"nowhere", "0.5"}}})
	if err != nil || len(got) != 3 || !(math.Abs(got[0].Value-90) <= 4) || !(math.Abs(got[1].Value-110) <= 4) {
		t.Errorf("%+v, %v; want about 90 and 110", got, err)
	}
	p, err = npt.Fit(t.Context(), frame(), "side", small())
	if err != nil {
		t.Fatal(err)
	}
	got, err = p.Predict(t.Context(), &npt.Frame{Names: []string{"y", "x"}, Rows: [][]string{{"85", "-1.5"}, {"115", "?"}}})
	if err != nil || len(got) != 2 || got[0].Class != "left" || got[1].Class != "right" || got[0].Probabilities["left"] < 0.8 || !(math.Abs(got[1].Probabilities["left"]+got[1].Probabilities["right"]-1) <= 1e-6) {
		t.Errorf("%+v, %v; want left and right", got, err)
	}
	for _, bad := range []struct {
		names []string
		row   []string
		want  string
	}{
		{[]string{"y"}, []string{"85"}, `no column "x"`},
		{[]string{"y", "x"}, []string{"85"}, "row 1 has 1 field, want 2"},
		{[]string{"y", "x"}, []string{"85", "-1", "left"}, "row 1 has 3 fields, want 2"},
		{[]string{"y", "x"}, []string{"sixty", "-1"}, `row 1: "sixty" in column "y", whose values were all numbers in training: want a number`},
		{[]string{"x", "y"}, []string{"Inf", "85"}, `row 1: "Inf" in column "x"`},
		{[]string{"x", "y"}, []string{"1e40", "85"}, `row 1: "1e40" in column "x", whose values were about `},
	} {
		f := &npt.Frame{Names: bad.names, Rows: [][]string{[]string{"85", "NA"}[:len(bad.names)], bad.row}}
		if _, err := p.Predict(t.Context(), f); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%q: %v, want %s", bad.row, err, bad.want)
		}
	}
}

// A fit that was interrupted goes on from its checkpoint, and gives what it would have given; with other settings the file is refused.
func TestFitGoesOn(t *testing.T) {
	c := small()
	c.Steps, c.EvalEvery = 30, 1
	backend, err := npt.OpenBackend("fused", 1)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "fit")
	whole, err := npt.FitWith(t.Context(), frame(), "y", c, npt.FitOptions{Backend: backend})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	best, err := npt.FitWith(ctx, frame(), "y", c, npt.FitOptions{Backend: backend, Checkpoint: path, Progress: func(p npt.Progress) {
		if p.Step == 12 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || best == nil {
		t.Fatal(best, err)
	}
	if got, err := best.Predict(t.Context(), frame()); err != nil || len(got) != 120 || !(best.ValidationLoss >= whole.ValidationLoss) {
		t.Errorf("the best weights so far, of validation loss %v: %v", best.ValidationLoss, err)
	}
	if p, err := npt.FitWith(ctx, frame(), "y", c, npt.FitOptions{Backend: backend}); p != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before the first evaluation: %v, %v", p, err)
	}
	first := 0
	p, err := npt.FitWith(t.Context(), frame(), "y", c, npt.FitOptions{Backend: backend, Checkpoint: path, Progress: func(p npt.Progress) {
		if first == 0 {
			first = p.Step
		}
	}})
	if err != nil || first != 13 {
		t.Fatalf("goes on with step %d, error %v", first, err)
	}
	want, err := whole.Predict(t.Context(), frame())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.Predict(t.Context(), frame()); err != nil || !reflect.DeepEqual(got, want) || p.ValidationLoss != whole.ValidationLoss {
		t.Errorf("another predictor, error %v", err)
	}
	c.LR /= 2
	if _, err := npt.FitWith(t.Context(), frame(), "y", c, npt.FitOptions{Backend: backend, Checkpoint: path}); err == nil || !strings.Contains(err.Error(), "another training") {
		t.Errorf("a checkpoint of other settings: %v", err)
	}
	if p.Target() != "y" || p.Classes() != nil || !slices.Equal(p.Features(), []string{"x", "side"}) || p.Model().Config().Steps != 30 || len(p.Model().Columns()) != 3 {
		t.Errorf("%s from %v, classes %v", p.Target(), p.Features(), p.Classes())
	}
	rows, err := p.Table(frame())
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range p.FitRows() { // x is continuous, the first column
		x, err := strconv.ParseFloat(frame().Rows[row][0], 64)
		if missing := rows.Missing != nil && rows.Missing[3*i]; missing != (err != nil) {
			t.Fatalf("row %d is row %d of the frame", i, row)
		}
		again := rows.Values[(len(p.FitRows())+row)*rows.Channels()]
		if err == nil && rows.Values[i*rows.Channels()] != again {
			t.Fatalf("row %d is not row %d of the frame, whose x is %v", i, row, x)
		}
	}
	p.Close()
	npt.ReturnMemory()
	if _, err := whole.Predict(t.Context(), frame()); err != nil {
		t.Errorf("after another predictor was closed: %v", err)
	}
	_, err = p.Predict(t.Context(), frame())
	_, err2 := p.Model().Attention(t.Context(), rows, 0)
	_, err3 := p.Impute(t.Context(), &npt.Frame{}) // without gaps
	for _, err := range []error{err, err2, err3, p.Save(path), p.Model().Save(path)} {
		if err == nil || err.Error() != "npt: the model is closed" {
			t.Errorf("a closed predictor: %v", err)
		}
	}
	p.Close()
}

// Of a training that diverged there is neither predictor nor checkpoint, though it had good weights before.
func TestFitDiverges(t *testing.T) {
	c := small()
	c.Steps, c.EvalEvery, c.LR = 30, 1, 1e3
	evaluated, path := 0, filepath.Join(t.TempDir(), "fit")
	p, err := npt.FitWith(t.Context(), frame(), "y", c, npt.FitOptions{Checkpoint: path, Progress: func(npt.Progress) { evaluated++ }})
	if p != nil || !errors.Is(err, npt.ErrDiverged) || evaluated == 0 {
		t.Errorf("%v, %v after %d evaluations", p, err, evaluated)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it can be gone on with: %v", err)
	}
}

// Who fits for hours hears that there is no checkpoint when it cannot be written first, and not again.
func TestFitWarns(t *testing.T) {
	backend, err := npt.OpenBackend("fused", 1)
	if err != nil {
		t.Fatal(err)
	}
	c := small()
	c.Steps, c.EvalEvery = 6, 1
	dir := filepath.Join(t.TempDir(), "dir")
	synctest.Test(t, func(t *testing.T) { // in which minutes pass at once
		var warned []error
		_, err := npt.FitWith(t.Context(), frame(), "y", c, npt.FitOptions{Backend: backend, Checkpoint: filepath.Join(dir, "fit"), Progress: func(npt.Progress) {
			os.WriteFile(dir, nil, 0o666) // a file where the folder is to be
			time.Sleep(2 * time.Minute)
		}, Warn: func(err error) { warned = append(warned, err) }})
		if err != nil || len(warned) != 1 || !strings.Contains(warned[0].Error(), "not a directory") {
			t.Errorf("error %v, warnings %v", err, warned)
		}
	})
}

// What is missing in a row is predicted in the units of its column, from the rest of the row; all else stays.
func TestImputeFrame(t *testing.T) {
	c := small()
	c.FeatureMask, c.Steps = 0.3, 400
	p, err := npt.Fit(t.Context(), frame(), "y", c)
	if err != nil {
		t.Fatal(err)
	}
	asked := &npt.Frame{Names: []string{" side", "x"}, Rows: [][]string{{"?", "-1.5"}, {"", "1.5"}, {"left", "NA"}, {"right", ""}, {"nowhere", "0.25"}, {"NA", "40"}}}
	got, err := p.Impute(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	x := func(row int) float64 {
		value, err := strconv.ParseFloat(got.Rows[row][1], 64)
		if err != nil {
			t.Error(err)
		}
		return value
	}
	if got.Rows[0][0] != "left" || got.Rows[1][0] != "right" || !(x(2) < -0.3 && x(2) > -2) || !(x(3) > 0.3 && x(3) < 2) {
		t.Errorf("%q", got.Rows)
	}
	if len(got.Rows[2][1]) < 7 || len(got.Rows[3][1]) < 6 { // one of ten such numbers ends with a 0, which is left out
		t.Errorf("%q, want six digits", got.Rows)
	}
	if !slices.Equal(got.Rows[4], asked.Rows[4]) || got.Rows[0][1] != "-1.5" || asked.Rows[0][0] != "?" || got.Rows[5][0] == "NA" || got.Rows[5][1] != "40" {
		t.Errorf("%q of %q", got.Rows, asked.Rows)
	}
	c.FeatureMask, c.Steps = 0, 2
	if p, err = npt.Fit(t.Context(), frame(), "y", c); err != nil {
		t.Fatal(err)
	}
	for _, rows := range [][][]string{asked.Rows, {{"left", "1"}}} { // whether or not there are gaps
		if _, err := p.Impute(t.Context(), &npt.Frame{Names: asked.Names, Rows: rows}); err == nil || !strings.Contains(err.Error(), "has not learnt to predict features") {
			t.Errorf("without masking of features: %v", err)
		}
	}
}

// Spaces around fields and names do not count: the same values, the same predictions.
func TestSpaces(t *testing.T) {
	c := small()
	c.Steps = 2
	var got [2][]npt.Prediction
	for i, space := range []string{"", " "} {
		text := "x," + space + "side,y\n"
		for _, row := range frame().Rows {
			text += space + strings.Join(row, space+","+space) + "\n"
		}
		path := filepath.Join(t.TempDir(), "spaces.csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := npt.ReadCSV(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := npt.Fit(t.Context(), f, "y", c)
		if err != nil {
			t.Fatal(err)
		}
		got[i], err = p.Predict(t.Context(), &npt.Frame{Names: []string{"x", "side"}, Rows: [][]string{{space + "1", space + "left"}, {space, space + "right"}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(got[0], got[1]) {
		t.Errorf("%v without spaces, %v with", got[0], got[1])
	}
}

// A category that the training did not have is no value.
func TestPredictUnseenCategory(t *testing.T) {
	c := small()
	c.Steps = 10
	p, err := npt.Fit(t.Context(), frame(), "y", c)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Predict(t.Context(), &npt.Frame{Names: []string{"x", "side"}, Rows: [][]string{{"1", "nowhere"}, {"1", ""}, {"1", "left"}}})
	if err != nil || !(math.Abs(got[0].Value-got[1].Value) <= 1e-3) || !(math.Abs(got[0].Value-got[2].Value) >= 0.01) {
		t.Errorf("%+v, %v; want the prediction for an unseen category to be that for none", got, err)
	}
	if of := p.Categories("side"); !slices.Equal(of, []string{"left", "right"}) || p.Categories("x") != nil || p.Categories("sides") != nil {
		t.Errorf("categories %q, %q of numbers, %q of no column", of, p.Categories("x"), p.Categories("sides"))
	}
}

// A column that is constant up to rounding says nothing, and a value that differs later does not blow up.
func TestConstantColumn(t *testing.T) {
	f := &npt.Frame{Names: []string{"x", "constant", "y"}}
	for i := range 60 {
		f.Rows = append(f.Rows, []string{fmt.Sprint(i % 7), "0.1", fmt.Sprint(10 * (i % 7))})
	}
	p, err := npt.Fit(t.Context(), f, "y", small())
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Predict(t.Context(), &npt.Frame{Names: []string{"x", "constant"}, Rows: [][]string{{"3", "0.1"}, {"3", "0.2"}}})
	if err != nil || !(math.Abs(got[0].Value-30) <= 10) || !(math.Abs(got[1].Value-30) <= 10) {
		t.Errorf("%v, %v; want about 30", got, err)
	}
	full, err := p.Impute(t.Context(), &npt.Frame{Names: []string{"x", "constant"}, Rows: [][]string{{"3", "?"}, {"3", "0.2"}}})
	if err != nil || full.Rows[0][1] != "0.1" || full.Rows[1][1] != "0.2" {
		t.Errorf("%v, %v; want 0.1 in the gap", full, err)
	}
	f.Rows[7][1] = "0.2" // a validation row with some of the seeds
	for seed := range uint64(8) {
		c := small()
		c.Seed, c.Steps = seed, 10
		if _, err := npt.Fit(t.Context(), f, "y", c); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// A column of numbers of which most are missing stays one of numbers.
func TestMostlyMissing(t *testing.T) {
	for _, none := range []string{"nan", "NAN", "na", "NA", "?"} {
		f := frame()
		for i := range f.Rows {
			if i%3 > 0 {
				f.Rows[i][0] = none
			}
		}
		c := small()
		c.Steps = 2
		p, err := npt.Fit(t.Context(), f, "y", c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Predict(t.Context(), &npt.Frame{Names: []string{"x", "side"}, Rows: [][]string{{"one", "left"}}}); err == nil {
			t.Errorf("%s: its column is taken for one of categories", none)
		}
	}
}

// Goroutines may predict at the same time; for the race detector.
func TestPredictSideBySide(t *testing.T) {
	c := small()
	c.Steps = 2
	p, err := npt.Fit(t.Context(), frame(), "y", c)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "predictor")
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		p, err := npt.LoadPredictor(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if _, err := p.Predict(t.Context(), frame()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

// A predictor from a file predicts what the one that was saved does, odd rows too; a file that is cut, or of something else, is refused.
func TestSavePredictor(t *testing.T) {
	dir := t.TempDir()
	for _, target := range []string{"y", "side"} {
		p, err := npt.Fit(t.Context(), frameWithSame(), target, small())
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, target)
		if err := p.Save(path); err != nil {
			t.Fatal(err)
		}
		loaded, err := npt.LoadPredictor(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		asked := frameWithSame()
		asked.Rows[0][0], asked.Rows[1][3] = "1e9", "7000"
		want, err := p.Predict(t.Context(), asked)
		if err != nil {
			t.Fatal(err)
		}
		if loaded.ValidationLoss != p.ValidationLoss || !slices.Equal(loaded.FitRows(), p.FitRows()) {
			t.Errorf("%s: a validation loss of %v, want %v, of the rows %v, want %v", target, loaded.ValidationLoss, p.ValidationLoss, loaded.FitRows(), p.FitRows())
		}
		if got, err := loaded.Predict(t.Context(), asked); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v, want %v", target, got, err, want)
		}
	}
	content, err := os.ReadFile(filepath.Join(dir, "y"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"cut": content[:len(content)-100], "flipped": append(content[:len(content)-100:len(content)-100], make([]byte, 100)...),
		"table.csv": []byte("a,b\n1,2\n")} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := npt.LoadPredictor(path, nil); err == nil || !strings.HasPrefix(err.Error(), "npt: "+path+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Other headers, under a checksum that is right: one that contradicts itself, and that of an earlier version, with less in it.
	other := func(pattern, with string) (*npt.Predictor, error) {
		file := regexp.MustCompile(pattern).ReplaceAll(content[:len(content)-sha256.Size], []byte(with))
		sum := sha256.Sum256(file)
		path := filepath.Join(dir, "other")
		if err := os.WriteFile(path, append(file, sum[:]...), 0o600); err != nil {
			t.Fatal(err)
		}
		return npt.LoadPredictor(path, nil)
	}
	if _, err := other(`"Target":2,`, `"Target":7,`); err == nil || !strings.Contains(err.Error(), "damaged: its header contradicts itself") {
		t.Error(err)
	}
	p, err := other(`,"Order":\[[0-9,]*\]|,"(NoABD|SelfOnly|Recompute|Flagged|Copies)":false|,"RowTargets":null`, "")
	if err != nil || p.FitRows() != nil || p.Target() != "y" {
		t.Errorf("of an earlier version: %v", err)
	}
	if _, err := npt.LoadModel(filepath.Join(dir, "y"), nil); err == nil || !strings.Contains(err.Error(), "a predictor, want a model") {
		t.Errorf("taken for a model: %v", err)
	}
}

func TestFitRefuses(t *testing.T) {
	for column, name := range map[int]string{0: "x", 2: "y"} {
		for _, odd := range []string{"1,5", "1e999", "inf", "one"} {
			f := frame()
			f.Rows[17][column], f.Rows[5][column] = "7 or so", odd
			_, err := npt.Fit(t.Context(), f, "y", small())
			if want := fmt.Sprintf("row 5: %q in column %q, where ", odd, name); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
	f := frame()
	if _, err := npt.Fit(t.Context(), f, "sied", small()); err == nil || !strings.Contains(err.Error(), `did you mean "side"?`) {
		t.Error(err)
	}
	f.Rows[3][2], f.Rows[5][2] = "1e200", "1e210"
	if _, err := npt.Fit(t.Context(), f, "y", small()); err == nil || !strings.Contains(err.Error(), `column "y": its numbers are too large`) {
		t.Error(err)
	}
	f.Rows[7][2] = " "
	if _, err := npt.Fit(t.Context(), f, "y", small()); err == nil || !strings.Contains(err.Error(), "row 7 has no y") {
		t.Error(err)
	}
	few := &npt.Frame{Names: []string{"x", "y"}, Rows: [][]string{{"1", "2"}, {"2", "3"}, {"3", "4"}, {"4", "5"}}}
	if _, err := npt.Fit(t.Context(), few, "y", small()); err == nil || err.Error() != "npt: 4 rows, want at least 5, of which one is for validation" {
		t.Error(err)
	}
	balanced := small()
	balanced.ClassBalancing = true
	if _, err := npt.Fit(t.Context(), frame(), "y", balanced); err == nil || !strings.Contains(err.Error(), "ClassBalancing: true, want false: y is a column of numbers") {
		t.Error(err)
	}
	commas := &npt.Frame{Names: []string{"x", "y"}}
	for i := range 10 {
		commas.Rows = append(commas.Rows, []string{strconv.Itoa(i), fmt.Sprintf("%d,5", i)})
	}
	unique := &npt.Frame{Names: []string{"x", "y"}}
	for i := range 10 {
		unique.Rows = append(unique.Rows, []string{strconv.Itoa(i), fmt.Sprintf("n%d", i)})
	}
	grouped := &npt.Frame{Names: []string{"x", "y"}}
	for i := range 10 {
		grouped.Rows = append(grouped.Rows, []string{strconv.Itoa(i), strconv.Itoa(i)})
	}
	grouped.Rows[3][1], grouped.Rows[5][1] = "1_2", "0x1p4"
	for want, odd := range map[string]*npt.Frame{
		`,5" in column "y": want numbers with a point`:           commas,
		`y has 10 different texts in 10 rows, such as "n0"`:      unique,
		`column "a" has no value in the 5 rows`:                  {Names: []string{"a", "b", "y"}, Rows: [][]string{{"", "1", "1"}, {"", "2", "2"}, {"", "1", "3"}, {"", "2", "4"}, {"", "3", "5"}}},
		`no column "sied" (did you mean "side"?), of Categories`: {Names: frame().Names, Rows: frame().Rows, Categories: []string{"sied"}},
		"the only column is y: want at least one":                {Names: []string{"y"}, Rows: [][]string{{"1"}, {"2"}, {"3"}, {"4"}, {"5"}}},
		`in all training rows: want at least two values`:         {Names: []string{"a", "y"}, Rows: [][]string{{"1", "7"}, {"2", " 7"}, {"3", "7.0"}, {"4", "7"}, {"5", "7"}}},
		`"1_2" in column "y", where 8 of 10 values`:              grouped,
		`y is "one" in all training rows`:                        {Names: []string{"a", "y"}, Rows: [][]string{{"1", "one"}, {"2", "one "}, {"3", "one"}, {"4", "one"}, {"5", "one"}}},
		`the name of column 0, "\xe4", is not UTF-8`:             {Names: []string{"\xe4", "y"}},
		`row 0: "K\xf6ln" in column "a" is not UTF-8`:            {Names: []string{"a", "y"}, Rows: [][]string{{"K\xf6ln", "1"}}},
	} {
		if _, err := npt.Fit(t.Context(), odd, "y", small()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := npt.Fit(t.Context(), nil, "y", small()); err == nil || err.Error() != "npt: there is no table" {
		t.Error(err)
	}
	names := &npt.Frame{Names: []string{"name", "y"}}
	for i := range 1500 {
		names.Rows = append(names.Rows, []string{fmt.Sprint("n", i), fmt.Sprint(i % 5)})
	}
	if _, err := npt.Fit(t.Context(), names, "y", small()); err == nil || !strings.Contains(err.Error(), `column "name" has 1500 different texts in 1500 rows`) {
		t.Error(err)
	}
	for range 2 { // the same texts again and again are no categories, either
		names.Rows = append(names.Rows, names.Rows...)
	}
	if _, err := npt.Fit(t.Context(), names, "y", small()); err == nil || !strings.Contains(err.Error(), "1500 different texts in 6000 rows: want at most 1000") {
		t.Error(err)
	}
	twice := &npt.Frame{Names: []string{"a", "y", "a"}, Rows: [][]string{{"1", "2", "3"}}}
	if _, err := npt.Fit(t.Context(), twice, "y", small()); err == nil || !strings.Contains(err.Error(), `two columns are called "a"`) {
		t.Error(err)
	}
	wide := filepath.Join(t.TempDir(), "wide.csv")
	if err := os.WriteFile(wide, []byte("a\x00,\x00b\x00\n\x001\x00"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := npt.ReadCSV(wide); err == nil || err.Error() != "npt: "+wide+": binary, or not in UTF-8: convert the file" {
		t.Error(err)
	}
	marked := filepath.Join(t.TempDir(), "marked.csv")
	if err := os.WriteFile(marked, []byte("\ufeff a,b\n1,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if f, err := npt.ReadCSV(marked); err != nil || f.Names[0] != "a" {
		t.Errorf("behind a byte order mark: %q, %v", f, err)
	}
	for _, text := range []string{"\ufeff\"a\",b\n1,2\n", "a, \"b\"\n1,2\n", "a ,b \n1,2\n"} {
		if err := os.WriteFile(marked, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if f, err := npt.ReadCSV(marked); err != nil || !slices.Equal(f.Names, []string{"a", "b"}) {
			t.Errorf("%q: %q, %v", text, f, err)
		}
	}
	for text, rows := range map[string]int{"a\n\"1\n\n2\"\n?": 2, "a\r\n1\r\n": 1, "a,b\n\n1,2\n\n": 1} { // no lines that stand for a row are empty
		if err := os.WriteFile(marked, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if f, err := npt.ReadCSV(marked); err != nil || len(f.Rows) != rows {
			t.Errorf("%q: %q, %v", text, f, err)
		}
	}
	for text, want := range map[string]string{"a,b\n1\n": "row 0 has 1 field, want 2", "a|b\n1|2\n": "want commas between the fields", "a,a\n1,2\n": `two columns are called "a"`, "7,0,0\n7,1,0\n": `two columns are called "0": is the header line missing?`, "a,b\n": "at least one row", "a;b\n1;2\n": "want commas between the fields",
		"a\n1\n\n3\n": "line 3 is empty: want a value, or ? for none", "a\n1\n\r\n": "line 3 is empty", "a\n\"1\n\n2\"\n3\n\n": "line 6 is empty"} {
		path := filepath.Join(t.TempDir(), "bad.csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := npt.ReadCSV(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Columns of numbers that Categories names are classes.
func TestCategories(t *testing.T) {
	f := frame()
	for i, row := range f.Rows {
		f.Rows[i] = []string{row[0], map[string]string{"left": "0", "right": "1"}[row[1]], row[2]}
	}
	f.Categories = []string{"side"}
	p, err := npt.Fit(t.Context(), f, "side", small())
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Predict(t.Context(), &npt.Frame{Names: []string{" y", "x "}, Rows: [][]string{{"85", "-1.5"}, {"115", "1.5"}}, Categories: []string{"side"}})
	if err != nil || got[0].Class != "0" || got[1].Class != "1" || len(got[0].Probabilities) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

// A row far from those of training does not change what others are predicted, and a number in a column that was constant changes nothing.
func TestOddRows(t *testing.T) {
	p, err := npt.Fit(t.Context(), frameWithSame(), "y", small())
	if err != nil {
		t.Fatal(err)
	}
	predict := func(rows ...[]string) []npt.Prediction {
		got, err := p.Predict(t.Context(), &npt.Frame{Names: []string{"x", "side", "same"}, Rows: rows})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	a, b, odd, low := []string{"-1", "left", "3"}, []string{"1", "right", "3"}, []string{"1e9", "right", "3"}, []string{"-1e9", "left", "3"}
	alone, beside := predict(a, b), predict(odd, a, low, b)
	if !reflect.DeepEqual(beside[1], alone[0]) || !reflect.DeepEqual(beside[3], alone[1]) || !reflect.DeepEqual(beside[0], predict(odd)[0]) || reflect.DeepEqual(beside[0], alone[1]) {
		t.Errorf("%v beside an odd row, %v without", beside, alone)
	}
	if got := predict([]string{"-1", "left", "7000"}, b); !reflect.DeepEqual(got, alone) {
		t.Errorf("%v, %v with another number in the constant column", alone, got)
	}
	if got := predict(); len(got) != 0 {
		t.Errorf("%v of no rows", got)
	}
}

// More rows than may be together are predicted in several passes, and a mistake in the last one is found before the first.
func TestManyRows(t *testing.T) {
	c := small()
	c.Steps = 10
	p, err := npt.Fit(t.Context(), frame(), "y", c)
	if err != nil {
		t.Fatal(err)
	}
	asked := &npt.Frame{Names: []string{"x", "side", "y"}}
	for len(asked.Rows) < 300 {
		asked.Rows = append(asked.Rows, frame().Rows...)
	}
	predict := func(from, to int) []npt.Prediction {
		got, err := p.Predict(t.Context(), &npt.Frame{Names: asked.Names, Rows: asked.Rows[from:to]})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if !reflect.DeepEqual(predict(0, 300), slices.Concat(predict(0, 256), predict(256, 300))) {
		t.Error("300 rows are predicted together")
	}
	if reflect.DeepEqual(predict(0, 256), slices.Concat(predict(0, 128), predict(128, 256))) {
		t.Error("256 rows are not predicted together")
	}
	full, err := p.Impute(t.Context(), asked)
	if err != nil || len(full.Rows) != 360 || full.Rows[353][0] == "NA" {
		t.Errorf("%v, or gaps are left", err)
	}
	asked.Rows[299] = []string{"much", "left", ""}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Predict(ended, asked); err == nil || !strings.Contains(err.Error(), `row 299: "much"`) {
		t.Error(err)
	}
}

// What a predictor computes with can be looked into.
func TestInsideOfPredictor(t *testing.T) {
	p, err := npt.Fit(t.Context(), frame(), "y", small())
	if err != nil {
		t.Fatal(err)
	}
	asked := &npt.Frame{Names: []string{"side", "x"}, Rows: [][]string{{"left", "-1"}, {"right", "1"}}}
	table, err := p.Table(asked)
	if err != nil || table.Train != 96 || table.Val != 24 || table.Test != 2 {
		t.Fatalf("%+v, %v", table, err)
	}
	attention, err := p.Model().Attention(t.Context(), table, 0)
	if err != nil || len(attention) != 1 || attention[0].Sequence != 122 || attention[0].Heads != 2 {
		t.Errorf("%v, %v", attention, err)
	}
	standardised, err := p.Model().Predict(t.Context(), table)
	predicted, err2 := p.Predict(t.Context(), asked)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	scale := (predicted[1].Value - predicted[0].Value) / (standardised[1][0] - standardised[0][0])
	if !(math.Abs(scale-10) < 2) { // y is 10 x + 100, x of variance 1
		t.Errorf("a standard deviation of %v", scale)
	}
	if !(p.ValidationLoss > 0 && p.ValidationLoss < 0.5) { // of a target of variance 1 that a line through x fits
		t.Errorf("validation loss %v", p.ValidationLoss)
	}
}
