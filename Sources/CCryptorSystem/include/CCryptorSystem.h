// The C library under one name on every system, for Swift, whose modules of it have different names
// and leave out macros, functions with variable arguments, and some calls of Linux.
#ifndef CCRYPTOR_SYSTEM_H
#define CCRYPTOR_SYSTEM_H

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

int ccryptor_errno(void);
void ccryptor_clear_errno(void);
int ccryptor_openat(int directory, const char *name, int flags, mode_t mode);

// Like F_DUPFD_CLOEXEC and F_GETFL of fcntl(2).
int ccryptor_duplicate(int file, int lowest);
int ccryptor_flags(int file);

// Like write(2), but a reader that has gone and a limit that is reached are errors only, EPIPE and
// EFBIG: this thread gets no SIGPIPE and no SIGXFSZ for them, and nothing else about the signals of
// the process changes. Outside of Linux SIGXFSZ comes, and for SIGPIPE the descriptor is set not to
// raise it (F_SETNOSIGPIPE) during the call; of two threads that write to one pipe, the first that
// is done takes that away again.
ssize_t ccryptor_write(int file, const void *bytes, size_t count);

// A number of this thread from 1 on, in the order in which they first ask, so that each starts at a
// slot of its own.
ptrdiff_t ccryptor_thread_number(void);

// Between these two calls the process does not fork: fork(2) waits in another thread, and then
// these wait for it (pthread_atfork(3)). So no child is left with a lock of another library that a
// thread of its parent held.
void ccryptor_hold_forks(void);
void ccryptor_release_forks(void);

// Flags of open(2): for a file without a name, for a directory that is searched and not read, and
// of a descriptor that is neither read nor written. And MADV_WIPEONFORK of madvise(2). 0 where
// there is no such thing. The device of null(4).
extern const int ccryptor_nameless;
extern const int ccryptor_search;
extern const int ccryptor_reference;
extern const int ccryptor_wipe_on_fork;
extern const dev_t ccryptor_null_device;

// Outside of Linux, calls of the following that are Linux's own fail with ENOSYS.

// Like renameat2(2) within one directory, with RENAME_NOREPLACE.
int ccryptor_rename_noreplace(int directory, const char *name, const char *other);

// Like syncfs(2) on Linux, like fsync(2) elsewhere.
int ccryptor_syncfs(int file);

// Like getxattr(2), fsetxattr(2) and fremovexattr(2).
ptrdiff_t ccryptor_getxattr(const char *path, const char *name, void *value, size_t size);
int ccryptor_fsetxattr(int file, const char *name, const void *value, size_t size);
int ccryptor_fremovexattr(int file, const char *name);

// The number of cores that this thread may use: sched_getaffinity(2) on Linux, those of the machine
// elsewhere.
int ccryptor_core_count(void);

#endif
