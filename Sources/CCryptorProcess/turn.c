// The lock is on the terminal's own device, because /dev/tty is one file for all terminals.
#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "turn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/sysmacros.h>
#endif

#if defined(TIOCGDEV)
// ttyname(3) does not help: it says that the name of /dev/tty is /dev/tty.
static bool find_name(unsigned int device, char *path, size_t capacity)
{
    // Pseudoterminals (those of windows and connections) are numbered consecutively. /sys has the names of the others.
    if (major(device) >= 136 && major(device) <= 143) {
        snprintf(path, capacity, "/dev/pts/%u", (major(device) - 136) * 256 + minor(device));
        return true;
    }
    char link[64], target[256];
    snprintf(link, sizeof link, "/sys/dev/char/%u:%u", major(device), minor(device));
    const ssize_t length = readlink(link, target, sizeof target - 1);
    if (length <= 0) return false;
    target[length] = 0;
    const char *slash = strrchr(target, '/');
    snprintf(path, capacity, "/dev/%s", slash == NULL ? target : slash + 1);
    return true;
}
#endif

int open_turn(int terminal)
{
#if defined(TIOCGDEV)
    unsigned int device;
    char path[512];
    if (ioctl(terminal, TIOCGDEV, &device) != 0 || !find_name(device, path, sizeof path)) return -1;
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat status;
    if (descriptor < 0 || (fstat(descriptor, &status) == 0 && status.st_rdev == device)) return descriptor;
    close(descriptor);
#else
    (void)terminal;
#endif
    return -1;
}

bool take_turn(int turn)
{
    // Where the system has no locks for terminals, nobody waits.
    return turn < 0 || flock(turn, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR);
}

void end_turn(int turn)
{
    if (turn >= 0) flock(turn, LOCK_UN);
}

void close_turn(int turn)
{
    if (turn >= 0) close(turn);
}
