#include "CCryptorProbe.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>

static pid_t kept_pid;

// Replaces the C library's getpid(), also for OpenSSL. It is not instrumented because Foundation
// calls it when a thread ends, after ThreadSanitizer has finished with the thread.
__attribute__((disable_sanitizer_instrumentation))
pid_t getpid(void)
{
    return kept_pid ? kept_pid : (pid_t)syscall(SYS_getpid);
}

void probe_keep_pid(void) { kept_pid = getpid(); }

static bool refuses_wiping;

// Replaces the C library's madvise().
int madvise(void *memory, size_t count, int advice)
{
    if (advice == MADV_WIPEONFORK && refuses_wiping) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_madvise, memory, count, advice);
}

void probe_refuse_wiping(void) { refuses_wiping = true; }
#endif

static void (*fork_body)(void);

static void at_fork(void) { fork_body(); }

void probe_call_at_forks(void (*body)(void))
{
    fork_body = body;
    (void)pthread_atfork(at_fork, at_fork, at_fork);
}

pid_t probe_fork_here(void)
{
    const pid_t child = fork();
    // `probe_wait` reports that it ended a child.
    if (child == 0) alarm(300);
    return child;
}

pid_t probe_fork(void (*body)(void *), void *context)
{
    const pid_t child = probe_fork_here();
    if (child == 0) {
        body(context);
        _exit(0);
    }
    return child;
}

int probe_wait(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1000;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
