// This is C because Swift initialises a static variable at its first use, which might be in a
// signal handler; because it cannot call prctl(2), open(2) and ioctl(2), which are variadic; and
// because some of this must come before anything that Swift itself does.
#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "CCryptorProcess.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <termios.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

// Handles signals, a list that ends with 0, but for those that the process was started with
// ignored. A handler interrupts the present system call.
static void handle(const int *numbers, void (*handler)(int))
{
    // Another signal waits until the handler has noted this one.
    sigset_t all;
    sigfillset(&all);
    for (; *numbers != 0; numbers++) {
        struct sigaction action;
        if (sigaction(*numbers, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            (void)sigaction(
                *numbers, &(const struct sigaction){.sa_handler = handler, .sa_mask = all}, NULL);
    }
}

// Signals that end the run, and those of job control.
static const int ending[] = {
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGVTALRM, SIGUSR1, SIGUSR2, 0};
static const int stopping[] = {SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, 0};
static atomic_int noted, noted_stop;

static bool is_interrupted(void) { return noted != 0 || noted_stop != 0; }

static void note(int number)
{
    if (number == SIGTSTP || number == SIGTTIN || number == SIGTTOU || number == SIGCONT) {
        noted_stop = number;
    } else if (number != SIGALRM) {
        // The first one is what ends the run.
        int none = 0;
        atomic_compare_exchange_strong(&noted, &none, number);
    }
    // A system call that begins just after a signal would wait as if none had come: an alarm
    // interrupts it, once a second.
    sigaction(SIGALRM, &(const struct sigaction){.sa_handler = note}, NULL);
    if (is_interrupted()) alarm(1);
}

int cprocess_noted_signal(void) { return noted; }

void cprocess_raise_noted_signal(void)
{
    const int number = noted;
    alarm(0);
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, number);
    // If one of these fails, raise(3) returns or is only noted, and the caller ends the process.
    (void)sigaction(number, &(const struct sigaction){.sa_handler = SIG_DFL}, NULL);
    (void)sigprocmask(SIG_UNBLOCK, &ended, NULL);
    (void)raise(number);
}

void cprocess_start(void)
{
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
    // Swift's own handlers show registers and frames of a process that crashes at a terminal, and
    // wait for a key. A sanitizer needs its handlers.
    handle((const int[]){SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV, 0}, SIG_DFL);
#endif
    // If the system refuses, the work is still worth doing.
    (void)setrlimit(RLIMIT_CORE, &(const struct rlimit){0, 0});
    // Each directory among the operands stays open. macOS allows no more than this.
    struct rlimit descriptors;
    if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0 && descriptors.rlim_cur < 10240) {
        descriptors.rlim_cur = descriptors.rlim_max < 10240 ? descriptors.rlim_max : 10240;
        (void)setrlimit(RLIMIT_NOFILE, &descriptors);
    }
#if defined(__linux__)
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
    // If the reader has gone or a file exceeds its limit, write(2) now returns an error, which is
    // reported.
    handle((const int[]){SIGPIPE, SIGXFSZ, 0}, SIG_IGN);
    handle(ending, note);
    // The process may have been started with these signals blocked.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// The terminal

int cprocess_terminal_columns(int descriptor)
{
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int cprocess_is_in_background(int descriptor)
{
    const pid_t foreground = tcgetpgrp(descriptor);
    return foreground != -1 && foreground != getpgrp();
}

// These return 0, EINTR after a signal that ends or stops the process, or the system's error
// number.

// In the background, SIGTTOU comes.
static int silence(int terminal, struct termios settings)
{
    settings.c_lflag &= ~(tcflag_t)ECHO;
    // In a terminal that was left raw, neither Return nor Ctrl-C would do what they should.
    settings.c_lflag |= ICANON | ISIG;
    settings.c_iflag &= ~(tcflag_t)(IGNCR | INLCR);
    settings.c_iflag |= ICRNL;
    // TCSAFLUSH is not used because it waits for the output as well, which Ctrl-S may have stopped.
    if (tcsetattr(terminal, TCSANOW, &settings) != 0) return errno;
    if (tcflush(terminal, TCIFLUSH) != 0) return errno;
    if (tcgetattr(terminal, &settings) != 0) return errno;
    return settings.c_lflag & ECHO ? ENOTTY : 0;
}

static int show(int terminal, const char *text)
{
    while (*text != 0) {
        if (is_interrupted()) return EINTR;
        const ssize_t written = write(terminal, text, strlen(text));
        if (written < 0 && errno != EINTR) return errno;
        if (written > 0) text += written;
    }
    return 0;
}

// Also returns EMSGSIZE for a line that is too long.
static int read_line(int terminal, unsigned char *line, size_t capacity, size_t *count)
{
    for (*count = 0; *count < capacity;) {
        if (is_interrupted()) return EINTR;
        // Each byte is read alone, straight to its final place: there is no copy, and the next line
        // stays unread.
        const ssize_t received = read(terminal, line + *count, 1);
        if (received < 0 && errno != EINTR) return errno;
        if (received < 0) continue;
        // A signal that came with the end of the input, such as SIGHUP when the terminal is closed,
        // takes precedence.
        if (received == 0) return is_interrupted() ? EINTR : 0;
        if (line[*count] == '\n') return 0;
        ++*count;
    }
    return EMSGSIZE;
}

// Prompts once, and leaves the terminal as it was, but for settings that a shell has made
// meanwhile.
static int prompt_once(
    int terminal, const char *prompt, unsigned char *line, size_t capacity, size_t *count)
{
    struct termios original;
    if (tcgetattr(terminal, &original) != 0) return errno;
    int number = silence(terminal, original);
    if (number == 0) number = show(terminal, prompt);
    if (number == 0) number = read_line(terminal, line, capacity, count);
    if (tcgetpgrp(terminal) == getpgrp()) {
        // It fails if this process is in the background by now, where the settings are the shell's.
        (void)tcsetattr(terminal, TCSANOW, &original);
        tcflush(terminal, TCIFLUSH);
        // The newline is only for the eye.
        if (noted_stop == 0) (void)!write(terminal, "\n", 1);
    }
    return number;
}

int cprocess_read_secret(const char *prompt, unsigned char *secret, size_t capacity, size_t *count)
{
    // It is not standard input, which may be data.
    const int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0) return errno == ENXIO || errno == ENOENT || errno == ENODEV ? -1 : errno;
    int number;
    do {
        noted_stop = 0;
        handle(stopping, note);
        number = prompt_once(terminal, prompt, secret, capacity, count);
        handle(stopping, SIG_DFL);
        if (number != 0) {
            volatile unsigned char *bytes = secret;
            for (size_t index = 0; index < capacity; index++) bytes[index] = 0;
        }
        // The process stops here. When it is continued, it prompts again from the start.
        if (noted_stop != 0 && noted == 0) raise(noted_stop);
    } while (number == EINTR && noted == 0);
    noted_stop = 0;
    close(terminal);
    return number;
}
