package checkpoint

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"nptbench/internal/backends"
)

// What was written is read, and what is damaged or another file is refused, in one line.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "weights")
	single, double := backends.Tensor([]float64{1, 2.5, -3}, dtypes.Float32, 3), backends.Tensor([]float64{1. / 3, 4}, dtypes.Float64, 2, 1)
	if err := Write(path, "checkpoint", map[string]int{"epoch": 7}, []*tensors.Tensor{single, double}); err != nil {
		t.Fatal(err)
	}
	read := func(layout ...shapes.Shape) (epoch int, arrays []*tensors.Tensor, err error) {
		var header struct{ Epoch int }
		arrays, err = Read(path, "checkpoint", &header, func() ([]shapes.Shape, error) { return layout, nil })
		return header.Epoch, arrays, err
	}
	epoch, arrays, err := read(single.Shape(), double.Shape())
	if err != nil || epoch != 7 || len(arrays) != 2 || !arrays[0].Equal(single) || !arrays[1].Equal(double) {
		t.Errorf("%v: epoch %d, %v", err, epoch, arrays)
	}
	if _, _, err := read(shapes.Make(dtypes.Float64, 1<<40)); err == nil || !strings.HasSuffix(err.Error(), ": damaged: ends too early") {
		t.Errorf("of more numbers than there can be: %v", err)
	}
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		damage func([]byte) []byte
		want   string
	}{
		{func(b []byte) []byte { b[len(b)/2] ^= 1; return b }, "damaged: its checksum is wrong"},
		{func(b []byte) []byte { return append(b, 0) }, "damaged: its checksum is wrong"},
		{func(b []byte) []byte { return b[:len(b)/2] }, "damaged: ends too early"},
		{func(b []byte) []byte { return bytes.Replace(b, []byte("{"), []byte("["), 1) }, "damaged: its header: "},
		{func([]byte) []byte { return nil }, "empty, damaged, or no file of nptbench: it has no header"},
		{func([]byte) []byte { return []byte("something else\n") }, "no file of nptbench"},
		{func(b []byte) []byte { return append([]byte("nptbench model 3\n"), b...) }, "a model, want a checkpoint"},
		{func(b []byte) []byte { return append([]byte("nptbench checkpoint 2\n"), b...) }, "a checkpoint of version 2, want version 3"},
		{func(b []byte) []byte { return bytes.Replace(b, []byte("{"), []byte(`{"momentum":1,`), 1) },
			`of a newer version of this program, or damaged: its header: json: unknown field "momentum"`},
	} {
		if err := os.WriteFile(path, c.damage(slices.Clone(sound)), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := read(single.Shape(), double.Shape()); err == nil || !strings.HasPrefix(err.Error(), path+": "+c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

// The first error is kept and told, and what is written goes on.
func TestPeriodicError(t *testing.T) {
	var warned []error
	first, written := errors.New("disk full"), 0
	p := Periodic{Path: "file", Every: time.Nanosecond, Warn: func(err error) { warned = append(warned, err) }}
	p.Start()
	for _, err := range []error{nil, first, errors.New("no folder"), nil} {
		time.Sleep(time.Microsecond)
		p.Write(func(string) error { written++; return err })
	}
	if written != 4 || p.Err != first || !slices.Equal(warned, []error{first}) {
		t.Errorf("written %d times, error %v, told %v", written, p.Err, warned)
	}
}

// A file is written once it is due, and the first error is kept; without a name nothing is.
func TestPeriodic(t *testing.T) {
	var written []string
	var fails error
	write := func(path string) error { written = append(written, path); return fails }
	p := Periodic{Path: "a", Every: time.Hour}
	p.Start()
	p.Write(write)
	p.Every = time.Nanosecond
	p.Start()
	time.Sleep(time.Microsecond)
	fails = os.ErrPermission
	p.Write(write)
	fails = os.ErrExist
	time.Sleep(time.Microsecond)
	p.Write(write)
	if p.Err != os.ErrPermission || !slices.Equal(written, []string{"a", "a"}) {
		t.Errorf("%q, %v", written, p.Err)
	}
	p.Path = ""
	p.Write(write)
	if len(written) != 2 {
		t.Error("a file without a name is written")
	}
	slow := Periodic{Path: "a"}
	slow.wait(time.Hour)
	if in := time.Until(slow.due); !(in > 18*time.Hour && in < 20*time.Hour) { // a twentieth of the time
		t.Errorf("a file that takes an hour is due in %v", in)
	}
}

// What a file has taken to write decides when it is written next.
func TestPeriodicOfASlowDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Periodic{Path: "a"}
		p.Start()
		time.Sleep(time.Minute + 1)
		p.Write(func(string) error { time.Sleep(time.Hour); return nil })
		if in := time.Until(p.due); in != 19*time.Hour {
			t.Errorf("a file that took an hour is due in %v", in)
		}
	})
}
