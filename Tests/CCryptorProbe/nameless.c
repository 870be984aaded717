#define _GNU_SOURCE
#include "CCryptorProbe.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local bool refuses;

void probe_refuse_nameless(bool is_refused) { refuses = is_refused; }

bool probe_exchange(const char *path, const char *other)
{
    // musl has no function for it.
    const unsigned int exchange = 2;
    return syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, other, exchange) == 0;
}

// Stands between this program and the C library.
#define OPENAT(NAME)                                                                  \
    int NAME(int directory, const char *path, int flags, ...)                         \
    {                                                                                 \
        va_list list;                                                                 \
        va_start(list, flags);                                                        \
        const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
        va_end(list);                                                                 \
        if (refuses && (flags & O_TMPFILE) == O_TMPFILE) {                            \
            errno = EOPNOTSUPP;                                                       \
            return -1;                                                                \
        }                                                                             \
        return (int)syscall(SYS_openat, directory, path, flags, mode);                \
    }
OPENAT(openat)
OPENAT(openat64)

#else

bool probe_exchange(const char *path, const char *other)
{
    (void)path, (void)other;
    return false;
}

void probe_refuse_nameless(bool is_refused) { (void)is_refused; }

#endif
