package gbdt

import (
	"archive/zip"
	"context"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"testing"
)

// A parityCase is a folder of testdata/parity.zip, which testdata/parity.py writes.
type parityCase struct {
	Method  string
	Task    string
	Table   string
	Counts  []int
	Classes int
	Width   int

	answer fitAnswer
	x      []float32
}

func parityCases(t *testing.T) []*parityCase {
	t.Helper()
	archive, err := zip.OpenReader("testdata/parity.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	var cases []*parityCase
	for _, f := range archive.File {
		b := make([]float64, (f.UncompressedSize64+7)/8) // so that the bytes lie where numbers may
		content := toBytes(b)[:f.UncompressedSize64]
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(r, content); err != nil {
			t.Fatal(err)
		}
		switch name := path.Base(f.Name); name {
		case "case.json":
			c := &parityCase{answer: fitAnswer{arrays: map[string][]byte{}}}
			if err := json.Unmarshal(content, c); err != nil {
				t.Fatal(err)
			}
			cases = append(cases, c)
		case "x":
			cases[len(cases)-1].x = fromBytes[float32](content)
		default:
			cases[len(cases)-1].answer.arrays[name] = content
		}
	}
	if len(cases) != 4*(7*3+2)+3*3 {
		t.Fatalf("%d cases", len(cases))
	}
	return cases
}

func (c *parityCase) link() link {
	return (&fit{origin: Origin{Classes: make([]int, c.Classes)}}).link()
}

func libraryOf(t *testing.T, name string) *library {
	t.Helper()
	for _, lib := range []library{scikit, xgboost, lightgbm, catboost} {
		if lib.method == name {
			return &lib
		}
	}
	t.Fatalf("no library %q", name)
	return nil
}

// On awkward tables Model predicts what the library predicted.
func TestParity(t *testing.T) {
	worst := map[string]float64{}
	for _, c := range parityCases(t) {
		t.Run(path.Join(c.Method, c.Task, c.Table), func(t *testing.T) {
			lib := libraryOf(t, c.Method)
			read, err := lib.read(&c.answer, c.Width, c.link())
			if err != nil {
				t.Fatal(err)
			}
			text := read.text()
			file := filepath.Join(t.TempDir(), "model.txt.gz")
			if err := saveModel(file, text); err != nil {
				t.Fatal(err)
			}
			m, err := LoadModel(file)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := m.rawScores(context.Background(), c.x, c.Counts, 2)
			if err != nil {
				t.Fatal(err)
			}
			theirs := c.answer.float64s("staged")
			for i, ours := range raw {
				worst[c.Method] = max(worst[c.Method], sameNumbers(t, "raw scores", ours, theirs[i*len(ours):][:len(ours)], lib, c.Counts[i], 0))
			}
			sameAsLeaves(t, m, text, c.x, c.Counts)
			last := len(raw) - 1
			sameNumbers(t, "predictions", m.predictions(raw[last]), c.answer.float64s("final"), lib, c.Counts[last], linkRounding)
		})
	}
	t.Log("largest differences of raw scores:", worst)
	if d := worst[scikit.method]; d != 0 { // the library ran on amd64, which fuses nothing
		t.Errorf("scikit-learn's sums differ by %v", d)
	}
}

// sameAsLeaves checks that a model gives the numbers of leaves, bit by bit.
func sameAsLeaves(t *testing.T, m *Model, text []byte, x []float32, counts []int) {
	t.Helper()
	ours, err := m.rawScores(context.Background(), x, counts, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range counts {
		theirs, err := leavesScores(text, x, m.Features, n)
		if err != nil {
			t.Fatal(err)
		}
		for j, want := range theirs {
			if math.Float64bits(ours[i][j]) != math.Float64bits(want) {
				t.Fatalf("%d trees: number %d is %v, by leaves %v", n, j, ours[i][j], want)
			}
		}
	}
}

func sameNumbers(t *testing.T, what string, ours, theirs []float64, lib *library, trees int, rounding float64) (largest float64) {
	t.Helper()
	if len(ours) != len(theirs) {
		t.Fatalf("%d %s, want %d", len(ours), what, len(theirs))
	}
	for i, want := range theirs {
		d := math.Abs(ours[i] - want)
		if !(d <= lib.tolerance(trees, math.Abs(want))+rounding) {
			t.Fatalf("%s of %d trees: number %d is %v, want %v", what, trees, i, ours[i], want)
		}
		largest = max(largest, d)
	}
	return largest
}

// LightGBM itself reads the text that the other libraries' models become, and predicts the same.
func TestLightGBMReadsRewrittenModels(t *testing.T) {
	needPython(t, LightGBM)
	p, err := findPython()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var cases []*parityCase
	args := []string{"-c", `import lightgbm, numpy, sys
for folder, width in zip(sys.argv[1::2], sys.argv[2::2]):
    model = lightgbm.Booster(model_file=folder + ".txt")
    x = numpy.fromfile(folder + ".x", "f4").reshape(-1, int(width))
    model.predict(x, raw_score=True, num_threads=1).tofile(folder + ".raw")`}
	for _, c := range parityCases(t) {
		if c.Method == lightgbm.method || c.Table != "missing" || c.Task != "multiclass" {
			continue
		}
		m, err := libraryOf(t, c.Method).read(&c.answer, c.Width, c.link())
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(dir, c.Method)
		for name, content := range map[string][]byte{".txt": m.text(), ".x": toBytes(c.x)} {
			if err := os.WriteFile(folder+name, content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		cases, args = append(cases, c), append(args, folder, strconv.Itoa(c.Width))
	}
	if out, err := exec.Command(p.path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range cases {
		sameNumbers(t, c.Method+" read by LightGBM, raw scores", numbersIn[float64](t, filepath.Join(dir, c.Method+".raw")),
			c.answer.float64s("raw"), libraryOf(t, c.Method), 6, 0)
	}
}
