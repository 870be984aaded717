#include "CSupport.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// A program's peak begins with that of the memory from which it was started. posix_spawn starts it from all memory of
// this process; after fork it is only the memory that fork copies, which is less than any program of Swift needs.
int support_run_for_peak(char *const arguments[], size_t *peak)
{
    const pid_t process = fork();
    if (process == 0) {
        execv(arguments[0], arguments);
        _exit(127);
    }
    int status;
    struct rusage usage;
    while (process < 0 || wait4(process, &status, 0, &usage) < 0)
        if (process < 0 || errno != EINTR)
            return -1;
#if defined(__APPLE__)
    *peak = (size_t)usage.ru_maxrss;
#else
    *peak = (size_t)usage.ru_maxrss * 1024;
#endif
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

double support_processor_seconds(void)
{
    struct rusage own = {0}, others = {0};
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &others);
    return seconds(own.ru_utime) + seconds(own.ru_stime) + seconds(others.ru_utime) + seconds(others.ru_stime);
}
