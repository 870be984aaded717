#define _GNU_SOURCE
#include "CCryptorSystem.h"
#include <stdatomic.h>
#include <stdbool.h>

int ccryptor_errno(void) { return errno; }

void ccryptor_clear_errno(void) { errno = 0; }

int ccryptor_openat(int folder, const char *name, int flags, mode_t mode)
{
    return openat(folder, name, flags, mode);
}

int ccryptor_duplicate(int file, int lowest) { return fcntl(file, F_DUPFD_CLOEXEC, lowest); }

int ccryptor_flags(int file) { return fcntl(file, F_GETFL); }

ptrdiff_t ccryptor_thread_number(void)
{
    static atomic_long count;
    static _Thread_local ptrdiff_t number;
    if (number == 0) number = atomic_fetch_add(&count, 1) + 1;
    return number;
}

#if defined(__linux__)

#include <sched.h>
#include <sys/xattr.h>

const int ccryptor_nameless = O_TMPFILE;
const int ccryptor_search = O_PATH | O_DIRECTORY | O_CLOEXEC;
const int ccryptor_reference = O_PATH;
const int ccryptor_wipe_on_fork = MADV_WIPEONFORK;
const dev_t ccryptor_null_device = 1 << 8 | 3;

int ccryptor_rename_noreplace(int folder, const char *name, const char *other)
{
    return renameat2(folder, name, folder, other, RENAME_NOREPLACE);
}

int ccryptor_syncfs(int file) { return syncfs(file); }

ptrdiff_t ccryptor_getxattr(const char *path, const char *name, void *value, size_t size)
{
    return getxattr(path, name, value, size);
}

int ccryptor_fsetxattr(int file, const char *name, const void *value, size_t size)
{
    return fsetxattr(file, name, value, size, 0);
}

int ccryptor_fremovexattr(int file, const char *name) { return fremovexattr(file, name); }

int ccryptor_core_count(void)
{
    // As many as Linux can be built for.
    cpu_set_t sets[8192 / CPU_SETSIZE];
    const bool isKnown = sched_getaffinity(0, sizeof sets, sets) == 0;
    return isKnown ? CPU_COUNT_S(sizeof sets, sets) : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

#else

const int ccryptor_nameless = 0;
const int ccryptor_search = O_SEARCH | O_DIRECTORY | O_CLOEXEC;
const int ccryptor_reference = 0;
const int ccryptor_wipe_on_fork = 0;
const dev_t ccryptor_null_device = 3 << 24 | 2;

static int unsupported(void)
{
    errno = ENOSYS;
    return -1;
}

int ccryptor_rename_noreplace(int folder, const char *name, const char *other)
{
    (void)folder, (void)name, (void)other;
    return unsupported();
}

int ccryptor_syncfs(int file) { return fsync(file); }

ptrdiff_t ccryptor_getxattr(const char *path, const char *name, void *value, size_t size)
{
    (void)path, (void)name, (void)value, (void)size;
    return unsupported();
}

int ccryptor_fsetxattr(int file, const char *name, const void *value, size_t size)
{
    (void)file, (void)name, (void)value, (void)size;
    return unsupported();
}

int ccryptor_fremovexattr(int file, const char *name)
{
    (void)file, (void)name;
    return unsupported();
}

int ccryptor_core_count(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }

#endif
