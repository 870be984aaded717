// What a test cannot do in Swift, or not in the process that runs the tests.
#ifndef CPROBE_H
#define CPROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Calls `body` in a child of this process, which must have one thread only, and ends the child. Returns its number, or -1.
pid_t probe_fork(void (*body)(void *), void *context);
// Waits for a child. Returns its exit status, minus the signal that ended it, or -1000.
int probe_wait(pid_t child);

#ifdef __linux__
// What pread(2) does on this thread from now on: it gives at most so many bytes, or fails with this error; 0 for neither.
void probe_read_badly(size_t most_bytes, int error);
#endif

#endif
