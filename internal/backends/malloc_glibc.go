//go:build linux && cgo

package backends

/*
#include <malloc.h>

// XLA allocates what a step needs anew in every step. By default glibc gives memory of that size back to the system each
// time, which then hands it out page by page, zeroed: up to a fifth of the time of a step.
static void keep_memory(void) {
#ifdef __GLIBC__
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1);
	mallopt(M_ARENA_MAX, 1);
#endif
}

static void return_memory(void) {
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
*/
import "C"

// keepMemory makes the C library keep freed memory for the next step.
func keepMemory() { C.keep_memory() }

// returnMemory gives the system back what was kept.
func returnMemory() { C.return_memory() }
