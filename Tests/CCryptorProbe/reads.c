// pread(2) as it behaves on bad disks and networks. The linker takes this function before the C library's.
#ifdef __linux__
#define _GNU_SOURCE
#include "CCryptorProbe.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static _Thread_local size_t limit;
static _Thread_local int failure;
static ssize_t (*real_pread)(int, void *, size_t, off_t);

__attribute__((constructor)) static void find_pread(void)
{
    real_pread = (__typeof__(real_pread))dlsym(RTLD_NEXT, "pread");
    if (!real_pread)
        abort();
}

void probe_read_badly(size_t most_bytes, int error)
{
    limit = most_bytes;
    failure = error;
}

// Not instrumented, for the same reason as getpid().
__attribute__((disable_sanitizer_instrumentation)) ssize_t pread(int file, void *bytes, size_t count, off_t offset)
{
    if (failure) {
        errno = failure;
        return -1;
    }
    return real_pread(file, bytes, limit && count > limit ? limit : count, offset);
}
#endif
