// System calls that the Swift modules of C libraries leave out. Outside of Linux, all but syncfs fail with ENOSYS.
#ifndef CCRYPTOR_H
#define CCRYPTOR_H

#include <stddef.h>

// Like renameat2(2) within one folder, with RENAME_NOREPLACE.
int ccryptor_rename_noreplace(int folder, const char *name, const char *other);

// Like syncfs(2) on Linux, like fsync(2) elsewhere.
int ccryptor_syncfs(int file);

// Like getxattr(2), fsetxattr(2) and fremovexattr(2).
ptrdiff_t ccryptor_getxattr(const char *path, const char *name, void *value, size_t size);
int ccryptor_fsetxattr(int file, const char *name, const void *value, size_t size);
int ccryptor_fremovexattr(int file, const char *name);

// The number of cores that sched_getaffinity(2) tells for this thread.
int ccryptor_core_count(void);

#endif
