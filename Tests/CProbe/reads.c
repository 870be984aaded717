// pread(2) as a bad disk or a network has it. The function comes before that of the C library when a program is linked.
#ifdef __linux__
#define _GNU_SOURCE
#include "CProbe.h"
#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

static _Thread_local size_t limit;
static _Thread_local int error;

void probe_read_badly(size_t new_limit, int new_error)
{
    limit = new_limit;
    error = new_error;
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset)
{
    static ssize_t (*real)(int, void *, size_t, off_t);
    if (!real)
        real = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");
    if (error) {
        errno = error;
        return -1;
    }
    return real(file, bytes, limit && count > limit ? limit : count, offset);
}
#endif
