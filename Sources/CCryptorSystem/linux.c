#if defined(__linux__)

#define _GNU_SOURCE
#include "CCryptorSystem.h"
#include <sched.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

const int ccryptor_nameless = O_TMPFILE;
const int ccryptor_search = O_PATH | O_DIRECTORY | O_CLOEXEC;
const int ccryptor_reference = O_PATH;
const dev_t ccryptor_null_device = 1 << 8 | 3;

int ccryptor_synchronize(int file) { return fsync(file); }

int ccryptor_synchronize_all(int file) { return syncfs(file); }

int ccryptor_rename_unless_taken(int directory, const char *name, const char *other)
{
#if defined(RENAME_NOREPLACE)
    return renameat2(directory, name, directory, other, RENAME_NOREPLACE);
#else
    // musl has no function for it.
    const unsigned int no_replace = 1;
    return (int)syscall(SYS_renameat2, directory, name, directory, other, no_replace);
#endif
}

// MARK: Signals of a write

static bool is_waiting(int signal)
{
    sigset_t set;
    return sigpending(&set) == 0 && sigismember(&set, signal) == 1;
}

// Takes a signal that waits for this thread, or else for the process.
static void take(int signal)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    while (sigtimedwait(&set, NULL, &(const struct timespec){0, 0}) < 0 && errno == EINTR) continue;
}

ssize_t ccryptor_write(int file, const void *bytes, size_t count)
{
    sigset_t raised, mask;
    sigemptyset(&raised);
    sigaddset(&raised, SIGPIPE);
    sigaddset(&raised, SIGXFSZ);
    // It fails for wrong arguments only.
    (void)pthread_sigmask(SIG_BLOCK, &raised, &mask);
    // One that was not blocked cannot have waited.
    const bool waited[] = {
        sigismember(&mask, SIGPIPE) == 1 && is_waiting(SIGPIPE),
        sigismember(&mask, SIGXFSZ) == 1 && is_waiting(SIGXFSZ),
    };
    const ssize_t written = write(file, bytes, count);
    const int number = errno;
    // A signal also comes after a part of the bytes was written.
    const bool is_short = written >= 0 && written < (ssize_t)count;
    for (int index = 0; index < 2; index++) {
        const int signal = index == 0 ? SIGPIPE : SIGXFSZ;
        if (!is_short && !(written < 0 && number == (index == 0 ? EPIPE : EFBIG))) continue;
        if (!waited[index]) {
            if (is_waiting(signal)) take(signal);
        } else if (written < 0) {
            // One that waited before is the program's. It may have been this thread's, and have
            // merged with the new one.
            take(signal);
            if (!is_waiting(signal)) (void)pthread_kill(pthread_self(), signal);
        }
    }
    (void)pthread_sigmask(SIG_SETMASK, &mask, NULL);
    errno = number;
    return written;
}

// MARK: Access lists

static const char access_list[] = "system.posix_acl_access";
static const char default_list[] = "system.posix_acl_default";

static bool failed_for_want_of_a_list(void) { return errno == ENODATA || errno == ENOTSUP; }

static ptrdiff_t get(int file, const char *name, void *list, size_t capacity)
{
    ssize_t count = fgetxattr(file, name, list, capacity);
    if (count < 0 && errno == EBADF) {
        // Of a file that is open only as a reference, a path of proc(5) tells.
        char path[32];
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        count = getxattr(path, name, list, capacity);
    }
    return count < 0 && failed_for_want_of_a_list() ? 0 : count;
}

static int take_away(int file, const char *name)
{
    return fremovexattr(file, name) == 0 || failed_for_want_of_a_list() ? 0 : -1;
}

ptrdiff_t ccryptor_access_list(int file, void *list, size_t capacity)
{
    return get(file, access_list, list, capacity);
}

int ccryptor_set_access_list(int file, const void *list, size_t count)
{
    return count > 0 ? fsetxattr(file, access_list, list, count, 0) : take_away(file, access_list);
}

// The group's bits of the mode are the list's mask.
bool ccryptor_list_adds_to_mode(int file)
{
    (void)file;
    return false;
}

bool ccryptor_has_default_list(int directory) { return get(directory, default_list, NULL, 0) != 0; }

int ccryptor_remove_default_list(int directory) { return take_away(directory, default_list); }

// MARK: Times

struct timespec ccryptor_file_clock(void)
{
    struct timespec now = {0, 0};
    // It fails for an unknown clock only; then no file was made before.
    (void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return now;
}

bool ccryptor_was_made_before(int file, struct timespec time)
{
#if defined(STATX_BTIME)
    struct statx status;
    if (statx(file, "", AT_EMPTY_PATH, STATX_BTIME, &status) != 0) return false;
    if ((status.stx_mask & STATX_BTIME) == 0) return false;
    if (status.stx_btime.tv_sec != time.tv_sec) return status.stx_btime.tv_sec < time.tv_sec;
    return status.stx_btime.tv_nsec < time.tv_nsec;
#else
    (void)file, (void)time;
    return false;
#endif
}

// MARK: Processes and cores

void *ccryptor_zeroed_by_fork(void)
{
    // QEMU's emulation of Linux takes any advice, and follows none.
    char any[1];
    if (madvise(any, 0, -1) == 0) return NULL;
    const size_t count = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return NULL;
    if (madvise(page, count, MADV_WIPEONFORK) == 0) return page;
    (void)munmap(page, count);
    return NULL;
}

int ccryptor_core_count(void)
{
    // As many as Linux can be built for.
    cpu_set_t sets[8192 / CPU_SETSIZE];
    if (sched_getaffinity(0, sizeof sets, sets) == 0) return CPU_COUNT_S(sizeof sets, sets);
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

#endif
