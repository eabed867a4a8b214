//go:build !(goexperiment.simd && amd64)

package gbdt

func answer1Wide(_, _ []uint64, _ uint64, _ int) int { return 0 }

func answer3Wide(_, _, _, _ []uint64, _, _, _ uint64, _ int) int { return 0 }
