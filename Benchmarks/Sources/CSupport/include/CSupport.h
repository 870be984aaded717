// What the benchmarks need of the system and Swift has no safe name for.
#ifndef CSUPPORT_H
#define CSUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// MARK: Programs (processes.c)

// Starts a program with this one's environment and nothing to read; `output` is its standard output, or -1 for none.
// Returns 0 or an error number.
int support_spawn(char *const arguments[], int output, pid_t *process);
// Waits for it. Returns its exit status, 128 and the signal that ended it, or -1.
int support_wait(pid_t process);

// Runs a program like that, and also returns the peak of its resident set in bytes.
int support_run_for_peak(char *const arguments[], size_t *peak);

// What this process's threads and the programs that it waited for have used of processors.
double support_processor_seconds(void);

// MARK: Files (files.c)

// Reads and writes 256 KiB at a time, and synchronises with the disk.
bool support_copy(const char *source, const char *destination);
// The whole file, to read; null if that fails.
const uint8_t *support_map(const char *path, size_t *count);
void support_unmap(const uint8_t *bytes, size_t count);

// MARK: Allocations (allocations.c)

struct support_allocations {
    uint64_t count;
    uint64_t bytes;
};

// False where malloc cannot be replaced by this way: anywhere but with glibc.
bool support_can_count_allocations(void);
// Counts what this thread allocates from now on, by whomever: malloc, calloc, realloc and their aligned relations.
void support_start_counting(void);
struct support_allocations support_stop_counting(void);

#endif
