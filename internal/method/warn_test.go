package method

import (
	"errors"
	"maps"
	"testing"
)

// A second warning does not replace the first.
func TestWarn(t *testing.T) {
	details := map[string]any{}
	Warn(details, "nothing", nil)
	Warn(details, "the model cannot be kept", errors.New("disk full"))
	Warn(details, "a checkpoint cannot be written", errors.New("no folder"))
	want := map[string]any{Warning: "the model cannot be kept: disk full; a checkpoint cannot be written: no folder"}
	if !maps.Equal(details, want) {
		t.Errorf("%v, want %v", details, want)
	}
}
