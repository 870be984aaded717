#include "CMutant.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int mutant_chosen;

static unsigned char nobody_asks[MUTANT_LIMIT];
unsigned char *mutant_reached = nobody_asks;

// Runs before everything else, allocates nothing, and bypasses the calls that the tests interpose.
__attribute__((constructor(101))) static void choose(void)
{
    const char *number = getenv("CRYPTORFORMAT_MUTANT");
    if (number)
        mutant_chosen = atoi(number);
    const char *path = getenv("CRYPTORFORMAT_MUTANTS_REACHED");
    if (!path)
        return;
    const int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return;
    void *bytes = mmap(NULL, MUTANT_LIMIT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes != MAP_FAILED)
        mutant_reached = bytes;
    syscall(SYS_close, file);
}
