//go:build !unix

package main

import "time"

var started = time.Now()

// processorTime is the clock's where the system does not tell more.
func processorTime() time.Duration { return time.Since(started) }
