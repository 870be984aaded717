// libFuzzer as a library: main is Swift's.
#ifndef FUZZ_DRIVER_H
#define FUZZ_DRIVER_H

#include <stddef.h>
#include <stdint.h>

// Runs until libFuzzer has enough: its options and folders are those of the command line.
int fuzz_run(int argc, char **argv, int (*target)(const uint8_t *bytes, size_t count));

// The program's name without its folder.
const char *fuzz_program_name(char **argv);

// Says what is wrong and aborts, which libFuzzer takes for a finding.
_Noreturn void fuzz_fail(const char *words);

#endif
