package machine

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

func TestProcessorModel(t *testing.T) {
	text, err := os.ReadFile("/proc/cpuinfo")
	name := ProcessorModel()
	if err == nil && runtime.GOARCH == "amd64" && (name == "" || !strings.Contains(string(text), "model name\t: "+name+"\n")) {
		t.Errorf("%q, in\n%.500s", name, text)
	}
	if name := modelIn("processor\t: 0\nBogoMIPS\t: 2100.00\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd40\n\n"); name != "ARM, implementer 0x41, part 0xd40" {
		t.Errorf("of a processor without a name %q", name)
	}
}
