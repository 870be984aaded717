// System calls that the benchmarks need and Swift has no safe name for.
#ifndef CSUPPORT_H
#define CSUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// MARK: Programs (processes.c)

// Starts a program with this one's environment and an empty standard input. `output` is its standard output, or -1 for
// none. Returns 0 or an error number.
int support_spawn(char *const arguments[], int output, pid_t *process);
// Waits for the program. Returns its exit status, 128 plus the signal that ended it, or -1.
int support_wait(pid_t process);

// Runs a program until it ends, and also reports the peak of its resident set in bytes.
int support_run_for_peak(char *const arguments[], size_t *peak);

// The processor time of this process's threads and of the programs that it waited for.
double support_processor_seconds(void);

// MARK: Files (files.c)

// Maps the complete file for reading. Returns null if that fails.
const uint8_t *support_map(const char *path, size_t *count);
void support_unmap(const uint8_t *bytes, size_t count);

#endif
