package npt

import (
	"testing"

	"github.com/gomlx/compute"
)

func testBackend(t testing.TB) compute.Backend {
	t.Helper()
	b, err := OpenBackend("auto", 0)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
