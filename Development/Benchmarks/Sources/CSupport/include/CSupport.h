// System calls that the benchmarks need and Swift has no safe name for.
#ifndef CSUPPORT_H
#define CSUPPORT_H

#include <stddef.h>

// Runs a program until it ends, and reports the peak of its resident set in bytes. Returns its exit status, 128 plus the
// signal that ended it, or -1.
int support_run_for_peak(char *const arguments[], size_t *peak);

// The processor time of this process's threads and of the programs that it waited for.
double support_processor_seconds(void);

#endif
