//go:build !(goexperiment.simd && unix)

package npt

// AvoidPreemption does nothing in a program that was built without GOEXPERIMENT=simd.
func AvoidPreemption() error { return nil }
