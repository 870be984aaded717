// Loaded into the command with LD_PRELOAD. Lets one system call fail.
//
//   FAULT=GROUP:NUMBER:KIND   the call with this number in a group (0: every call) fails with the
//                             errno KIND; "short" makes it do less (or open a file as descriptor
//                             1024), "KILL" kills the process, "STOP" stops it before the call,
//                             and "INT" sends it SIGINT first; a terminal's calls are in
//                             "read-tty" and "write-tty"
//   FAULT_NOTE=PATH           a file that is created when that happens, and lists descriptors that
//                             are open at the end; after SIGINT, also later calls of the group
//   BEFORE_OPEN_2=FROM:TO     before the second call of openat(2), and so on, FROM is renamed to
//                             TO; FROM=TO: TO becomes another name of FROM; semicolons separate
//                             several pairs
//   BEFORE_FSYNC_2=FROM:TO    the same before the second call of fsync(2)
//   BEFORE_LINK_2=FROM:TO     the same before the second call of linkat(2)
//   AFTER_MKDIR_1=FROM:TO     the same after the first call of mkdirat(2)
//   ATTRIBUTES=KIND           permissions, owners, access lists and times are refused with the
//                             errno KIND, as on some mounts
//   MODES=NUMBER              new files get this mode, in octal digits, as on some mounts
//   TRACE=PATH                lists in this file, in order, what is synchronised, made and removed,
//                             by paths below the working directory
//   NAMELESS=refused          no file without a name (O_TMPFILE), as in some file systems
//   LINKS=refused             no hard links, as in some file systems
//   RENAME_FLAGS=unknown      renameat2(2) knows no flags, as in some file systems
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>

#define NEXT(NAME) ((__typeof__(&NAME))dlsym(RTLD_NEXT, #NAME))

static char group[16], kind[16];
static long number;
static bool refuses_nameless;
static atomic_long calls;
static atomic_bool is_open[1024];

__attribute__((constructor)) static void begin(void)
{
    const char *fault = getenv("FAULT");
    if (fault && sscanf(fault, "%15[^:]:%ld:%15s", group, &number, kind) != 3)
        abort();
    const char *nameless = getenv("NAMELESS");
    refuses_nameless = nameless && strcmp(nameless, "refused") == 0;
}

static void note(const char *text)
{
    const char *path = getenv("FAULT_NOTE");
    const int flags = O_WRONLY | O_CREAT | O_APPEND;
    const int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0666) : -1;
    if (file < 0 || syscall(SYS_write, file, text, strlen(text)) < 0)
        abort();
    syscall(SYS_close, file);
}

__attribute__((destructor)) static void end(void)
{
    for (int file = 3; file < 1024; file++) {
        char text[64];
        if (!is_open[file])
            continue;
        snprintf(text, sizeof text, "left open: %d\n", file);
        note(text);
    }
}

// Lists a call. The name is below the directory; without a name, that itself is meant.
static void trace(const char *call, int directory, const char *name)
{
    char link[64], path[2048] = "", here[1024] = "", line[4096];
    const char *file = getenv("TRACE");
    if (!file)
        return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    if (readlink(directory == AT_FDCWD ? "/proc/self/cwd" : link, path, sizeof path - 1) < 0 ||
        !getcwd(here, sizeof here))
        abort();
    const size_t start = strncmp(path, here, strlen(here)) == 0 ? strlen(here) : 0;
    const char *rest = path + start + (start && path[start] == '/');
    const char *slash = name && *rest ? "/" : "";
    const int count = snprintf(line, sizeof line, "%s %s%s%s\n", call,
        *rest || name ? rest : ".", slash, name ? name : "");
    const int flags = O_WRONLY | O_CREAT | O_APPEND;
    const int output = (int)syscall(SYS_openat, AT_FDCWD, file, flags, 0666);
    if (output < 0 || syscall(SYS_write, output, line, count) < 0)
        abort();
    syscall(SYS_close, output);
}

// Dispatch reads /proc to see its threads, and ends the process if it cannot. The tests are not
// about that.
static bool is_dispatch(const void *caller)
{
    Dl_info object;
    return dladdr(caller, &object) && object.dli_fname && strstr(object.dli_fname, "libdispatch");
}

#define STRIKES(NAME) (!is_dispatch(__builtin_return_address(0)) && strikes(NAME))

static bool strikes(const char *name)
{
    if (strcmp(name, group) != 0)
        return false;
    const long call = atomic_fetch_add(&calls, 1) + 1;
    if (call > number && number != 0 && strcmp(kind, "INT") == 0)
        note("later\n");
    if (call != number && number != 0)
        return false;
    note("struck\n");
    if (strcmp(kind, "KILL") == 0)
        raise(SIGKILL);
    if (strcmp(kind, "STOP") == 0)
        return raise(SIGSTOP) != 0;
    return strcmp(kind, "INT") != 0 || raise(SIGINT) != 0;
}

// Acts as somebody else who changes names right before or after this call of a function.
static void be_faster(const char *name, int number)
{
    char variable[32], from[1024];
    snprintf(variable, sizeof variable, "%s_%d", name, number);
    const char *names = getenv(variable);
    if (!names)
        return;
    for (;; names += strcspn(names, ";") + 1) {
        char to[1024];
        const size_t separator = strcspn(names, ":=");
        const size_t end = strcspn(names, ";");
        snprintf(from, sizeof from, "%.*s", (int)separator, names);
        snprintf(to, sizeof to, "%.*s", (int)(end - separator - 1), names + separator + 1);
        const long call = names[separator] == '=' ? SYS_linkat : SYS_renameat2;
        const long status = syscall(call, AT_FDCWD, from, AT_FDCWD, to, 0);
        if (status != 0)
            abort();
        if (names[end] == 0)
            return;
    }
}

static bool is_short(void) { return strcmp(kind, "short") == 0; }

static int failed(const char *kind)
{
    static const struct {
        const char *name;
        int number;
    } errors[] = {
        {"ENOSPC", ENOSPC}, {"EINTR", EINTR}, {"EROFS", EROFS}, {"EBADF", EBADF},
        {"ENOENT", ENOENT}, {"ENOLCK", ENOLCK}, {"EIO", EIO}, {"EAGAIN", EAGAIN},
        {"EOPNOTSUPP", EOPNOTSUPP}, {"EPERM", EPERM}, {"EACCES", EACCES}, {"ENOSYS", ENOSYS},
        {"EDQUOT", EDQUOT}, {"EINVAL", EINVAL},
    };
    errno = EIO;
    for (size_t index = 0; index < sizeof errors / sizeof *errors; index++)
        if (strcmp(kind, errors[index].name) == 0)
            errno = errors[index].number;
    return -1;
}

static int failure(void) { return failed(kind); }

static int opened(int file, int flags)
{
    const char *mode = getenv("MODES");
    if (file >= 0 && mode && (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) != 0)
        syscall(SYS_fchmod, file, strtol(mode, NULL, 8));
    if (file >= 0 && file < 1024)
        is_open[file] = true;
    return file;
}

// Gives an open file one more descriptor, of 1024 or above.
static int high(int file) { return fcntl(file, F_DUPFD, 1024); }

#define OPENS(NAME, DIRECTORY_PARAMETER, DIRECTORY_ARGUMENT, BEFORE)                               \
    int NAME(DIRECTORY_PARAMETER const char *path, int flags, ...)                                 \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        const mode_t mode = va_arg(list, mode_t);                                                  \
        va_end(list);                                                                              \
        if (refuses_nameless && (flags & O_TMPFILE) == O_TMPFILE) {                                \
            errno = EOPNOTSUPP;                                                                    \
            return -1;                                                                             \
        }                                                                                          \
        if (is_dispatch(__builtin_return_address(0)))                                              \
            return NEXT(NAME)(DIRECTORY_ARGUMENT path, flags, mode);                               \
        BEFORE;                                                                                    \
        if (strikes("open"))                                                                       \
            return is_short() ? high(NEXT(NAME)(DIRECTORY_ARGUMENT path, flags, mode)) : failure();\
        return opened(NEXT(NAME)(DIRECTORY_ARGUMENT path, flags, mode), flags);                    \
    }
// The end of a directory looks the same but for errno.
struct dirent *readdir(DIR *directory)
{
    if (!STRIKES("list"))
        return NEXT(readdir)(directory);
    failure();
    return NULL;
}

DIR *fdopendir(int file)
{
    if (!STRIKES("list"))
        return NEXT(fdopendir)(file);
    failure();
    return NULL;
}

// The C library closes the descriptor without close(2).
int closedir(DIR *directory)
{
    const int file = dirfd(directory);
    if (file >= 0 && file < 1024)
        is_open[file] = false;
    return NEXT(closedir)(directory);
}

#define COMMA ,
static atomic_int openat_count;
OPENS(open, , , )
OPENS(open64, , , )
OPENS(openat, int directory COMMA, directory COMMA,
    be_faster("BEFORE_OPEN", atomic_fetch_add(&openat_count, 1) + 1))
OPENS(openat64, int directory COMMA, directory COMMA,
    be_faster("BEFORE_OPEN", atomic_fetch_add(&openat_count, 1) + 1))

int close(int file)
{
    if (file >= 0 && file < 1024)
        is_open[file] = false;
    const int status = NEXT(close)(file);
    // Linux has closed the file, whatever close(2) returns.
    return STRIKES("close") ? failure() : status;
}

// Defines a function by its group, its name, and its parameters with and without their types.
#define FAILING(GROUP, NAME, PARAMETERS, ARGUMENTS)                     \
    int NAME PARAMETERS { return STRIKES(GROUP) ? failure() : NEXT(NAME) ARGUMENTS; }
// The same for attributes of files.
#define REFUSED(GROUP, NAME, PARAMETERS, ARGUMENTS)                                   \
    int NAME PARAMETERS                                                              \
    {                                                                                \
        const char *refusal = getenv("ATTRIBUTES");                                  \
        if (refusal) return failed(refusal);                                         \
        return STRIKES(GROUP) ? failure() : NEXT(NAME) ARGUMENTS;                     \
    }
// The same for functions that may also do less. Error messages of the command are not what the
// tests are about.
#define SHORT(GROUP, NAME, PARAMETERS, ARGUMENTS)                       \
    ssize_t NAME PARAMETERS                                             \
    {                                                                   \
        if (file == 2 || !STRIKES(isatty(file) ? GROUP "-tty" : GROUP)) \
            return NEXT(NAME) ARGUMENTS;                                \
        count = count > 1 ? count / 2 : count;                          \
        return is_short() ? NEXT(NAME) ARGUMENTS : failure();           \
    }

SHORT("read", read, (int file, void *bytes, size_t count), (file, bytes, count))
SHORT("read", pread, (int file, void *bytes, size_t count, off_t offset),
    (file, bytes, count, offset))
SHORT("read", pread64, (int file, void *bytes, size_t count, off64_t offset),
    (file, bytes, count, offset))
SHORT("write", write, (int file, const void *bytes, size_t count), (file, bytes, count))
FAILING("fsync", syncfs, (int file), (file))
FAILING("flock", flock, (int file, int operation), (file, operation))
REFUSED("chmod", fchmod, (int file, mode_t mode), (file, mode))
REFUSED("owner", fchown, (int file, uid_t owner, gid_t owners), (file, owner, owners))
REFUSED("times", futimens, (int file, const struct timespec times[2]), (file, times))
FAILING("name", renameat, (int from_directory, const char *from, int to_directory, const char *to),
    (from_directory, from, to_directory, to))
FAILING("remove", unlink, (const char *path), (path))
FAILING("stat", fstat, (int file, struct stat *status), (file, status))
FAILING("stat", stat, (const char *path, struct stat *status), (path, status))
FAILING("stat", fstatat, (int directory, const char *path, struct stat *status, int flags),
    (directory, path, status, flags))
FAILING("stat", fstatvfs, (int file, struct statvfs *status), (file, status))
REFUSED("xattr", fsetxattr, (int file, const char *name, const void *value, size_t size, int flags),
    (file, name, value, size, flags))
REFUSED("xattr", fremovexattr, (int file, const char *name), (file, name))
FAILING("affinity", sched_getaffinity, (pid_t process, size_t size, cpu_set_t *set),
    (process, size, set))
FAILING("sigaction", sigaction,
    (int number, const struct sigaction *new, struct sigaction *old), (number, new, old))
FAILING("tcflush", tcflush, (int file, int queue), (file, queue))
FAILING("tcgetattr", tcgetattr, (int file, struct termios *settings), (file, settings))

// A terminal that does less accepts new settings, but keeps its own.
int tcsetattr(int file, int action, const struct termios *settings)
{
    if (!STRIKES("tcsetattr"))
        return NEXT(tcsetattr)(file, action, settings);
    return is_short() ? 0 : failure();
}

ssize_t getxattr(const char *path, const char *name, void *value, size_t size)
{
    return STRIKES("xattr") ? failure() : NEXT(getxattr)(path, name, value, size);
}

int unlinkat(int directory, const char *path, int flags)
{
    trace("remove", directory, path);
    return STRIKES("remove") ? failure() : NEXT(unlinkat)(directory, path, flags);
}

int mkdirat(int directory, const char *path, mode_t mode)
{
    trace("make", directory, path);
    if (STRIKES("mkdir")) return failure();
    static atomic_int count;
    const int status = NEXT(mkdirat)(directory, path, mode);
    be_faster("AFTER_MKDIR", atomic_fetch_add(&count, 1) + 1);
    return status;
}

int fsync(int file)
{
    static atomic_int count;
    trace("synchronize", file, NULL);
    be_faster("BEFORE_FSYNC", atomic_fetch_add(&count, 1) + 1);
    return STRIKES("fsync") ? failure() : NEXT(fsync)(file);
}

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags)
{
    static atomic_int count;
    be_faster("BEFORE_LINK", atomic_fetch_add(&count, 1) + 1);
    if (getenv("LINKS") && from_directory != AT_FDCWD) {
        errno = EPERM;
        return -1;
    }
    if (STRIKES("name")) return failure();
    return NEXT(linkat)(from_directory, from, to_directory, to, flags);
}

int renameat2(
    int from_directory, const char *from, int to_directory, const char *to, unsigned int flags)
{
    if (getenv("RENAME_FLAGS") && flags != 0) {
        errno = EINVAL;
        return -1;
    }
    if (STRIKES("name")) return failure();
    return NEXT(renameat2)(from_directory, from, to_directory, to, flags);
}

// These functions are OpenSSL's, and return 0 for failure.
int RAND_bytes(unsigned char *bytes, int count);
int RAND_priv_bytes(unsigned char *bytes, int count);
int EVP_MAC_final(void *context, unsigned char *tag, size_t *count, size_t capacity);

int RAND_bytes(unsigned char *bytes, int count)
{
    return STRIKES("rand") ? 0 : NEXT(RAND_bytes)(bytes, count);
}

int RAND_priv_bytes(unsigned char *bytes, int count)
{
    return STRIKES("rand") ? 0 : NEXT(RAND_priv_bytes)(bytes, count);
}

int EVP_MAC_final(void *context, unsigned char *tag, size_t *count, size_t capacity)
{
    return STRIKES("mac") ? 0 : NEXT(EVP_MAC_final)(context, tag, count, capacity);
}
