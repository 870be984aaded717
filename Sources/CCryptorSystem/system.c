#define _GNU_SOURCE
#include "CCryptorSystem.h"
#include <stdatomic.h>

// What is the same on all systems. The rest is in linux.c and darwin.c.

int ccryptor_errno(void) { return errno; }

void ccryptor_clear_errno(void) { errno = 0; }

int ccryptor_openat(int directory, const char *name, int flags, mode_t mode)
{
    return openat(directory, name, flags, mode);
}

int ccryptor_duplicate(int file, int lowest) { return fcntl(file, F_DUPFD_CLOEXEC, lowest); }

int ccryptor_flags(int file) { return fcntl(file, F_GETFL); }

int ccryptor_start_thread(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, body, argument);
}

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
