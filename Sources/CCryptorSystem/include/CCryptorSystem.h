// The C library under one name on every system, for Swift, whose modules of it have different names and leave out macros,
// functions with variable arguments, and some calls of Linux.
#ifndef CCRYPTOR_SYSTEM_H
#define CCRYPTOR_SYSTEM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static inline int ccryptor_errno(void) { return errno; }
static inline void ccryptor_clear_errno(void) { errno = 0; }

static inline int ccryptor_openat(int folder, const char *name, int flags, mode_t mode)
{
    return openat(folder, name, flags, mode);
}

// Like F_DUPFD_CLOEXEC and F_GETFL of fcntl(2).
static inline int ccryptor_duplicate(int file, int lowest) { return fcntl(file, F_DUPFD_CLOEXEC, lowest); }
static inline int ccryptor_flags(int file) { return fcntl(file, F_GETFL); }

// What differs between systems. Flags of open(2): for a file without a name, for a folder that is searched and not read,
// and of a descriptor that is neither read nor written. MADV_WIPEONFORK of madvise(2). The device of null(4). Then
// renameat2(2) within one folder with RENAME_NOREPLACE, syncfs(2), calls for extended attributes, and the number of cores
// that this thread may use. Where there is no such thing, a flag is 0, a call fails with ENOSYS, and syncfs is fsync(2).
#if defined(__linux__)
#include <sched.h>
#include <sys/xattr.h>

static const int ccryptor_nameless = O_TMPFILE;
static const int ccryptor_search = O_PATH | O_DIRECTORY | O_CLOEXEC;
static const int ccryptor_reference = O_PATH;
static const int ccryptor_wipe_on_fork = MADV_WIPEONFORK;
static const dev_t ccryptor_null_device = 1 << 8 | 3;

static inline int ccryptor_rename_noreplace(int folder, const char *name, const char *other)
{
    return renameat2(folder, name, folder, other, RENAME_NOREPLACE);
}
static inline int ccryptor_syncfs(int file) { return syncfs(file); }
static inline ptrdiff_t ccryptor_getxattr(const char *path, const char *name, void *value, size_t size)
{
    return getxattr(path, name, value, size);
}
static inline int ccryptor_fsetxattr(int file, const char *name, const void *value, size_t size)
{
    return fsetxattr(file, name, value, size, 0);
}
static inline int ccryptor_fremovexattr(int file, const char *name) { return fremovexattr(file, name); }
static inline int ccryptor_core_count(void)
{
    // As many as Linux can be built for.
    cpu_set_t sets[8192 / CPU_SETSIZE];
    const int is_known = sched_getaffinity(0, sizeof sets, sets) == 0;
    return is_known ? CPU_COUNT_S(sizeof sets, sets) : (int)sysconf(_SC_NPROCESSORS_ONLN);
}
#else
static const int ccryptor_nameless = 0;
static const int ccryptor_search = O_SEARCH | O_DIRECTORY | O_CLOEXEC;
static const int ccryptor_reference = 0;
static const int ccryptor_wipe_on_fork = 0;
static const dev_t ccryptor_null_device = 3 << 24 | 2;

static inline int ccryptor_missing(void) { return errno = ENOSYS, -1; }
static inline int ccryptor_rename_noreplace(int folder, const char *name, const char *other) { return ccryptor_missing(); }
static inline int ccryptor_syncfs(int file) { return fsync(file); }
static inline ptrdiff_t ccryptor_getxattr(const char *path, const char *name, void *value, size_t size)
{
    return ccryptor_missing();
}
static inline int ccryptor_fsetxattr(int file, const char *name, const void *value, size_t size)
{
    return ccryptor_missing();
}
static inline int ccryptor_fremovexattr(int file, const char *name) { return ccryptor_missing(); }
static inline int ccryptor_core_count(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }
#endif

#endif
