#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "CCryptorTerminal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int start_at_terminal(const char *script, pid_t *process) {
    int controller = posix_openpt(O_RDWR | O_NOCTTY);
    if (controller < 0 || fcntl(controller, F_SETFD, FD_CLOEXEC) < 0) return -1;
    if (grantpt(controller) < 0 || unlockpt(controller) < 0) return -1;
    char name[128];
    if (ptsname_r(controller, name, sizeof name) != 0) return -1;
    int terminal = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0) return -1;

    *process = fork();
    if (*process == 0) {
        // Between fork and exec, only the functions in signal-safety(7) may be called.
        if (setsid() < 0 || ioctl(terminal, TIOCSCTTY, 0) < 0) _exit(126);
        if (dup2(terminal, 0) < 0 || dup2(terminal, 1) < 0 || dup2(terminal, 2) < 0) _exit(126);
        // The process that runs the tests may ignore or block some signals, and children inherit
        // that.
        for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execl("/bin/sh", "sh", "-c", script, (char *)NULL);
        _exit(127);
    }
    close(terminal);
    return *process < 0 ? -1 : controller;
}
