package dataset

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// TestHiggsMemory makes a file of the size and form of the full Higgs table and shows that loading it takes at most
// 2.5 GB, both when it is parsed and when it comes from the cache. Each load is a process of its own, whose peak resident
// memory is what the operating system says. It takes minutes and 5 GB of disk: NPT_LONG_TESTS=1.
func TestHiggsMemory(t *testing.T) {
	if dir := os.Getenv("NPT_HIGGS_CHILD"); dir != "" {
		loadHiggs(t, dir)
		return
	}
	if os.Getenv("NPT_LONG_TESTS") == "" {
		t.Skip("NPT_LONG_TESTS is not set")
	}
	const limit = 2.5e9
	dir := t.TempDir()
	began := time.Now()
	size := writeHiggs(t, filepath.Join(dir, "higgs", "HIGGS.csv.gz"))
	t.Logf("made %s in %.0f s", FormatBytes(size), time.Since(began).Seconds())
	for _, from := range []string{"parsed", "from the cache"} {
		began := time.Now()
		child := exec.Command(os.Args[0], "-test.run=^TestHiggsMemory$", "-test.v")
		child.Env = append(os.Environ(), "NPT_HIGGS_CHILD="+dir)
		out, err := child.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", from, err, out)
		}
		if cached := !bytes.Contains(out, []byte("its values cannot be compared")); cached != (from == "from the cache") {
			t.Errorf("%s: %s", from, out)
		}
		peak := child.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
		cpu := child.ProcessState.UserTime() + child.ProcessState.SystemTime()
		t.Logf("%s: %.1f s, %.1f s of processor time, peak %.2f GB", from, time.Since(began).Seconds(), cpu.Seconds(), float64(peak)/1e9)
		if float64(peak) > limit {
			t.Errorf("%s: peak memory %.2f GB, at most %.2f allowed", from, float64(peak)/1e9, limit/1e9)
		}
	}
}

// loadHiggs is the child process.
func loadHiggs(t *testing.T, dir string) {
	l := &Library{Dirs: []string{dir}, CacheDir: filepath.Join(dir, "cache"), Log: logger{t}}
	table, err := l.Load(context.Background(), "higgs")
	if err != nil {
		t.Fatal(err)
	}
	if table.Rows != 11000000 || table.Info.TestAt != 10500000 || len(table.Columns) != 29 || table.Subset != "" {
		t.Errorf("%v, test rows from %d, %s", table, table.Info.TestAt, table.Subset)
	}
	for i := range table.Columns {
		checkColumn(t, &table.Columns[i], table.Rows)
	}
	for _, row := range []int{0, 1, 10999999} { // the rows of a block repeat
		if got, want := table.Columns[28].F32[row], table.Columns[28].F32[row%higgsBlock]; got != want {
			t.Errorf("row %d is %v, want %v", row, got, want)
		}
	}
	runtime.KeepAlive(table)
}
