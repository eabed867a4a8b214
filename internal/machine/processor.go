package machine

import (
	"os"
	"strings"
)

// ProcessorModel is the name of this machine's processor, as Linux tells it, or of ARM's the numbers that tell it; elsewhere it is empty.
func ProcessorModel() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	return modelIn(string(text))
}

func modelIn(cpuinfo string) string {
	field := func(name string) string {
		_, rest, _ := strings.Cut("\n"+cpuinfo, "\n"+name)
		line, _, _ := strings.Cut(rest, "\n")
		return strings.TrimLeft(line, "\t :")
	}
	if part := field("CPU part"); part != "" {
		return "ARM, implementer " + field("CPU implementer") + ", part " + part
	}
	return field("model name")
}
