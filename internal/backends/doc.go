// Package backends opens what networks compute on, by name: this project's own backend for processors (package fused), GoMLX's in
// pure Go, and XLA for processors and GPUs where its plugin is installed. Begin with Open in backend.go. plugin.go finds XLA's
// plugins, call.go runs graphs and turns what goes wrong into errors of one line, malloc_glibc.go keeps XLA's memory.
package backends
