// System calls that the Swift modules of C libraries leave out.
#ifndef CCRYPTOR_H
#define CCRYPTOR_H

#include <stdbool.h>
#include <stddef.h>

// Like syncfs(2) on Linux, like fsync(2) elsewhere.
int ccryptor_syncfs(int file);

// Whether a folder is in /proc, according to statfs(2).
bool ccryptor_is_proc_folder(int folder);

// Like renameat2(2) within one folder, with one of these flags. Fails with ENOSYS, EINVAL or ENOTSUP where the flag is
// unknown.
#define CCRYPTOR_NOREPLACE 1
#define CCRYPTOR_EXCHANGE 2
int ccryptor_rename(int folder, const char *name, const char *other, unsigned int flag);

// Like getxattr(2), listxattr(2), fsetxattr(2) and fremovexattr(2) on Linux. Elsewhere each fails with ENOTSUP.
ptrdiff_t ccryptor_getxattr(const char *path, const char *name, void *value, size_t size);
ptrdiff_t ccryptor_listxattr(const char *path, char *names, size_t size);
int ccryptor_fsetxattr(int file, const char *name, const void *value, size_t size);
int ccryptor_fremovexattr(int file, const char *name);

#endif
