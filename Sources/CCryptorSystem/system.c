#define _GNU_SOURCE
#include "CCryptorSystem.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

// What Linux has, or what stands for it elsewhere.
#if defined(__linux__)
#include <sched.h>
#include <sys/xattr.h>
#define LINUX(linux, other) (linux)
#else
#define LINUX(linux, other) (other)
static int unsupported(void)
{
    errno = ENOSYS;
    return -1;
}
#endif

int ccryptor_errno(void) { return errno; }

void ccryptor_clear_errno(void) { errno = 0; }

int ccryptor_openat(int directory, const char *name, int flags, mode_t mode)
{
    return openat(directory, name, flags, mode);
}

int ccryptor_duplicate(int file, int lowest) { return fcntl(file, F_DUPFD_CLOEXEC, lowest); }

int ccryptor_flags(int file) { return fcntl(file, F_GETFL); }

#if defined(F_SETNOSIGPIPE)
ssize_t ccryptor_write(int file, const void *bytes, size_t count)
{
    // The signal would go to the process and not to this thread, so it cannot be taken back here.
    const bool is_set = fcntl(file, F_GETNOSIGPIPE) == 0 && fcntl(file, F_SETNOSIGPIPE, 1) == 0;
    const ssize_t written = write(file, bytes, count);
    const int number = errno;
    if (is_set) (void)fcntl(file, F_SETNOSIGPIPE, 0);
    errno = number;
    return written;
}
#else
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
#endif

ptrdiff_t ccryptor_thread_number(void)
{
    static atomic_long count;
    static _Thread_local ptrdiff_t number;
    if (number == 0) number = atomic_fetch_add(&count, 1) + 1;
    return number;
}

// A fork takes the lock for itself alone. In glibc, threads that come later do not keep it waiting.
#if defined(PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP)
#define FORK_LOCK PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#else
#define FORK_LOCK PTHREAD_RWLOCK_INITIALIZER
#endif
static pthread_rwlock_t fork_lock = FORK_LOCK;

// The process whose threads have the lock.
static pid_t fork_lock_process;

// Whether this thread takes, has or releases the lock. A signal handler may fork in the middle, and
// must not wait for its own thread.
static _Thread_local volatile sig_atomic_t holds_forks;

static void renew_fork_lock(void)
{
    fork_lock = (pthread_rwlock_t)FORK_LOCK;
    fork_lock_process = getpid();
}

static void before_fork(void)
{
    if (holds_forks) return;
    // This may be a child of a fork without handlers, which has none of the threads that had the
    // lock.
    if (fork_lock_process != getpid()) renew_fork_lock();
    (void)pthread_rwlock_wrlock(&fork_lock);
}

static void after_fork_in_parent(void)
{
    if (!holds_forks) (void)pthread_rwlock_unlock(&fork_lock);
}

// The thread has another number in the child, where the C library would take it for one that does
// not have the lock.
static void after_fork_in_child(void)
{
    if (!holds_forks) renew_fork_lock();
}

// Registered as the program starts: handlers of others, who register later, then run without the
// lock (pthread_atfork(3)), so they may use this library, and locks of their own. If there is no
// memory for ours, forks are not held.
__attribute__((constructor)) static void watch_forks(void)
{
    fork_lock_process = getpid();
    (void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

// These fail only for a lock that is broken, or has more readers than there can be threads.
void ccryptor_hold_forks(void)
{
    holds_forks = true;
    (void)pthread_rwlock_rdlock(&fork_lock);
}

void ccryptor_release_forks(void)
{
    (void)pthread_rwlock_unlock(&fork_lock);
    holds_forks = false;
}

const int ccryptor_nameless = LINUX(O_TMPFILE, 0);
const int ccryptor_search = LINUX(O_PATH, O_SEARCH) | O_DIRECTORY | O_CLOEXEC;
const int ccryptor_reference = LINUX(O_PATH, 0);
const int ccryptor_wipe_on_fork = LINUX(MADV_WIPEONFORK, 0);
const dev_t ccryptor_null_device = LINUX(1 << 8 | 3, 3 << 24 | 2);

int ccryptor_rename_noreplace(int directory, const char *name, const char *other)
{
    return LINUX(renameat2(directory, name, directory, other, RENAME_NOREPLACE), unsupported());
}

int ccryptor_syncfs(int file) { return LINUX(syncfs(file), fsync(file)); }

ptrdiff_t ccryptor_getxattr(const char *path, const char *name, void *value, size_t size)
{
    return LINUX(getxattr(path, name, value, size), unsupported());
}

int ccryptor_fsetxattr(int file, const char *name, const void *value, size_t size)
{
    return LINUX(fsetxattr(file, name, value, size, 0), unsupported());
}

int ccryptor_fremovexattr(int file, const char *name)
{
    return LINUX(fremovexattr(file, name), unsupported());
}

int ccryptor_core_count(void)
{
#if defined(__linux__)
    // As many as Linux can be built for.
    cpu_set_t sets[8192 / CPU_SETSIZE];
    if (sched_getaffinity(0, sizeof sets, sets) == 0) return CPU_COUNT_S(sizeof sets, sets);
#endif
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}
