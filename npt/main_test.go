package npt

import (
	"fmt"
	"os"
	"testing"

	"github.com/gomlx/compute"
)

func TestMain(m *testing.M) {
	if err := AvoidPreemption(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func testBackend(t testing.TB) compute.Backend {
	t.Helper()
	b, err := OpenBackend("auto", 0)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
