// This is C because prctl(2) and open(2) are variadic: Swift cannot call prctl(2), and the calls of open(2) must come
// before anything that Swift itself does.
#define _GNU_SOURCE
#include "CCryptorProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

// Swift's own handlers show registers and frames of a process that crashes at a terminal, and wait for a key. A
// sanitizer needs its handlers.
static void forbid_backtraces(void)
{
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
    static const int crashes[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV};
    for (size_t index = 0; index < sizeof crashes / sizeof *crashes; index++) {
        struct sigaction action;
        if (sigaction(crashes[index], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            signal(crashes[index], SIG_DFL);
    }
#endif
}

void cprocess_forbid_dumps(void)
{
    forbid_backtraces();
    const struct rlimit none = {0, 0};
    // If the system refuses, the work is still worth doing.
    (void)setrlimit(RLIMIT_CORE, &none);
#if defined(__linux__)
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

int cprocess_occupy_standard_streams(void)
{
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++) {
        if (fcntl(number, F_GETFD) >= 0) continue;
#if defined(O_PATH)
        // An O_PATH descriptor can be neither read nor written. Opening /dev/stdin or /dev/stdout ends at a link that
        // is not followed, and fails: it opens no empty file, no file that swallows everything and no folder with files
        // in it. /proc/self needs no permission and no /dev; without /proc both names lead nowhere.
        int descriptor = open("/proc/self", O_PATH | O_NOFOLLOW);
        if (descriptor < 0 && errno == ENOENT) descriptor = open("/", O_PATH);
#else
        const int descriptor = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
#endif
        // open(2) takes the lowest free number, and all lower ones are in use already. If it took another one, this was
        // in use, and the error number is that of fcntl(2).
        if (descriptor != number) return errno;
    }
    return 0;
}
