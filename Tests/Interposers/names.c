// Loaded into the command with LD_PRELOAD. Below a directory "insensitive", names are in lower
// case, whatever they are when they are used, as in file systems that ignore case.
//
//   INODES=changing   files there have another inode number each time, as on some network mounts
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEXT(NAME) ((__typeof__(&NAME))dlsym(RTLD_NEXT, #NAME))

static int is_below(int directory, const char *path)
{
    char link[64], target[2 * PATH_MAX] = "";
    if (path[0] != '/') {
        snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
        if (readlink(directory == AT_FDCWD ? "/proc/self/cwd" : link, target, PATH_MAX) < 0)
            return 0;
    }
    return strstr(target, "/insensitive") != NULL;
}

// The name that the file system has for one that is used. Each argument has a buffer of its own.
static const char *stored(int directory, const char *path, char *buffer)
{
    const char *inside = strstr(path, "insensitive/");
    size_t start = strlen(path);
    if (is_below(directory, path))
        start = 0;
    else if (inside)
        start = (size_t)(inside - path);
    for (size_t index = 0; index <= strlen(path) && index < PATH_MAX - 1; index++)
        buffer[index] = index < start ? path[index] : (char)tolower((unsigned char)path[index]);
    return buffer;
}

#define NAME(DIRECTORY, PATH) stored(DIRECTORY, PATH, (char[PATH_MAX]){0})

int openat(int directory, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = va_arg(list, mode_t);
    va_end(list);
    return NEXT(openat)(directory, NAME(directory, path), flags, mode);
}

int mkdirat(int directory, const char *path, mode_t mode)
{
    return NEXT(mkdirat)(directory, NAME(directory, path), mode);
}

static void change_inode(int is_inside, struct stat *status)
{
    static atomic_ulong number;
    if (is_inside && getenv("INODES") && S_ISREG(status->st_mode))
        status->st_ino = 1000000 + atomic_fetch_add(&number, 1);
}

int fstatat(int directory, const char *path, struct stat *status, int flags)
{
    const char *name = NAME(directory, path);
    const int result = NEXT(fstatat)(directory, name, status, flags);
    if (result == 0)
        change_inode(is_below(directory, path) || strstr(path, "insensitive/"), status);
    return result;
}

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags)
{
    return NEXT(linkat)(from_directory, from, to_directory, NAME(to_directory, to), flags);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    return NEXT(renameat)(
        from_directory, NAME(from_directory, from), to_directory, NAME(to_directory, to));
}

int renameat2(
    int from_directory, const char *from, int to_directory, const char *to, unsigned int flags)
{
    return NEXT(renameat2)(
        from_directory, NAME(from_directory, from), to_directory, NAME(to_directory, to), flags);
}

int unlinkat(int directory, const char *path, int flags)
{
    return NEXT(unlinkat)(directory, NAME(directory, path), flags);
}
