package subprocess

import (
	"math"
	"os"
	"os/exec"
	"testing"
)

func TestSelf(t *testing.T) {
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	a, errA := os.Stat(self)
	b, errB := os.Stat(here)
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		t.Errorf("%s is not %s: %v, %v", self, here, errA, errB)
	}
}

func TestKilledForMemory(t *testing.T) {
	for script, want := range map[string]bool{"kill -9 $$": true, "sh -c 'kill -9 $$'; exit $?": true, "kill -15 $$": false, "exit 9": false, "exit 0": false} {
		err := exec.Command("sh", "-c", script).Run()
		if KilledForMemory(err, -1) != want || KilledForMemory(err, math.MaxInt) {
			t.Errorf("%s: %v, want %v where the kernel has killed something meanwhile, and never else", script, err, want)
		}
	}
}
