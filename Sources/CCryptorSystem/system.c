#define _GNU_SOURCE
#include "CCryptorSystem.h"

#include <errno.h>
#include <unistd.h>

#if defined(__linux__)

#include <linux/magic.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

bool ccryptor_is_proc_folder(int folder)
{
    struct statfs status;
    return fstatfs(folder, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

int ccryptor_rename(int folder, const char *name, const char *other, unsigned int flag)
{
    return renameat2(folder, name, folder, other, flag);
}

int ccryptor_syncfs(int file) { return syncfs(file); }

ptrdiff_t ccryptor_getxattr(const char *path, const char *name, void *value, size_t size)
{
    return getxattr(path, name, value, size);
}

ptrdiff_t ccryptor_listxattr(const char *path, char *names, size_t size) { return listxattr(path, names, size); }

int ccryptor_fsetxattr(int file, const char *name, const void *value, size_t size)
{
    return fsetxattr(file, name, value, size, 0);
}

int ccryptor_fremovexattr(int file, const char *name) { return fremovexattr(file, name); }

#else

#include <stdio.h>

bool ccryptor_is_proc_folder(int folder)
{
    (void)folder;
    return false;
}

int ccryptor_syncfs(int file) { return fsync(file); }

int ccryptor_rename(int folder, const char *name, const char *other, unsigned int flag)
{
    (void)folder;
    (void)name;
    (void)other;
    (void)flag;
    errno = ENOSYS;
    return -1;
}

static int unsupported(const void *unused, const void *also_unused)
{
    (void)unused;
    (void)also_unused;
    errno = ENOTSUP;
    return -1;
}

ptrdiff_t ccryptor_getxattr(const char *path, const char *name, void *value, size_t size)
{
    (void)value;
    (void)size;
    return unsupported(path, name);
}

ptrdiff_t ccryptor_listxattr(const char *path, char *names, size_t size)
{
    (void)size;
    return unsupported(path, names);
}

int ccryptor_fsetxattr(int file, const char *name, const void *value, size_t size)
{
    (void)file;
    (void)size;
    return unsupported(name, value);
}

int ccryptor_fremovexattr(int file, const char *name)
{
    (void)file;
    return unsupported(name, NULL);
}

#endif
