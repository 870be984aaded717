// libFuzzer as a library: main is Swift's.
#include <stddef.h>
#include <stdint.h>

// Runs until libFuzzer has enough: its options and directories are those of the command line.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*target)(const uint8_t *bytes, size_t count));
