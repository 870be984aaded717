// What the Swift modules of C libraries leave out.
#ifndef CCRYPTOR_H
#define CCRYPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// As syncfs(2); elsewhere as fsync(2).
int ccryptor_syncfs(int file);

// Whether a folder is one of /proc, as statfs(2) tells.
bool ccryptor_is_of_processes(int folder);

// As renameat2(2), in one folder; with neither flag, as renameat(2). Fails with ENOSYS, EINVAL or ENOTSUP where a flag is unknown.
#define CCRYPTOR_NOREPLACE 1
#define CCRYPTOR_EXCHANGE 2
int ccryptor_rename(int folder, const char *name, const char *other, unsigned int flag);

// As getxattr(2), fsetxattr(2), fremovexattr(2) and listxattr(2). Elsewhere each fails with ENOTSUP.
ssize_t ccryptor_getxattr(const char *path, const char *name, void *value, size_t size);
ssize_t ccryptor_listxattr(const char *path, char *names, size_t size);
int ccryptor_fsetxattr(int file, const char *name, const void *value, size_t size);
int ccryptor_fremovexattr(int file, const char *name);

#endif
