#include "fuzz_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*target)(const uint8_t *bytes, size_t count));

int fuzz_run(int argc, char **argv, int (*target)(const uint8_t *bytes, size_t count)) {
    return LLVMFuzzerRunDriver(&argc, &argv, target);
}

const char *fuzz_program_name(char **argv) {
    const char *slash = strrchr(argv[0], '/');
    return slash != NULL ? slash + 1 : argv[0];
}

void fuzz_fail(const char *words) {
    fprintf(stderr, "finding: %s\n", words);
    abort();
}
