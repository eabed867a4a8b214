package method

import "testing"

func TestAccelerated(t *testing.T) {
	for name, want := range map[string]bool{
		"go": false, "go:ops_sequential": false, "xla:cpu": false, "xla:/opt/xla_cpu_pjrt.so,tf32=false": false,
		"xla:cuda": true, "xla:/home/cpu/xla_cuda_plugin.so,preallocate=true": true,
	} {
		if got := Accelerated(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
