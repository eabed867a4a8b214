package subprocess

import "os"

// Self is the path of this program for running it again: on Linux that of the program that runs, even where another one has its name by now.
func Self() (string, error) {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running, nil
	}
	return os.Executable()
}
