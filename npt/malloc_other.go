//go:build !linux || !cgo

package npt

func keepMemory() {}

func returnMemory() {}
