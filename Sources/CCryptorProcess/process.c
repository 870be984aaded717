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

// Handles a signal, but not if the process was started with it ignored. A handler interrupts the
// present system call.
static void handle(int number, void (*handler)(int))
{
    // Another signal waits until the handler has noted this one.
    sigset_t all;
    sigfillset(&all);
    struct sigaction action;
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
        (void)sigaction(
            number, &(const struct sigaction){.sa_handler = handler, .sa_mask = all}, NULL);
}

// The same for a list that ends with 0.
static void handle_each(const int *numbers, void (*handler)(int))
{
    for (; *numbers != 0; numbers++) handle(*numbers, handler);
}

static const int faults[] = {SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, 0};
static const int stopping[] = {SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, 0};
// If the reader has gone or a file exceeds its limit, write(2) returns an error, which is reported.
static const int ignored[] = {SIGPIPE, SIGXFSZ, 0};
// What the system ignores.
static const int harmless[] = {
    SIGCHLD, SIGURG, SIGWINCH,
#if defined(__APPLE__)
    SIGINFO, SIGIO,
#endif
    0};

static bool contains(const int *numbers, int number)
{
    while (*numbers != 0 && *numbers != number) numbers++;
    return *numbers != 0;
}

// Any other signal ends the process: none is forgotten, whatever a system has.
static bool ends(int number)
{
    return !contains(faults, number) && !contains(stopping, number) && !contains(ignored, number)
        && !contains(harmless, number);
}

static void handle_faults(void (*handler)(int))
{
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    // A sanitizer needs its handlers.
    (void)handler;
#else
    handle_each(faults, handler);
#endif
}

static atomic_int noted, noted_stop;
static bool ignores_alarm;

static bool is_interrupted(void) { return noted != 0 || noted_stop != 0; }

static void note(int number)
{
    if (contains(stopping, number)) {
        noted_stop = number;
    } else if (number != SIGALRM || (!is_interrupted() && !ignores_alarm)) {
        // The first one is what ends the run. An alarm after another signal is the one below.
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
    // Swift's own handlers show registers and frames of a process that crashes at a terminal, and
    // wait for a key.
    handle_faults(SIG_DFL);
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
    handle_each(ignored, SIG_IGN);
    struct sigaction alarmed;
    ignores_alarm = sigaction(SIGALRM, NULL, &alarmed) == 0 && alarmed.sa_handler == SIG_IGN;
    // The system refuses handlers for SIGKILL and SIGSTOP.
    for (int number = 1; number < NSIG; number++)
        if (ends(number)) handle(number, note);
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

// Also returns EMSGSIZE for a line that is too long, and ENODATA for Ctrl-D in place of a line.
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
        if (received == 0) return is_interrupted() ? EINTR : *count == 0 ? ENODATA : 0;
        if (line[*count] == '\n') return 0;
        ++*count;
    }
    return EMSGSIZE;
}

// The terminal of a prompt, and its settings before.
static int silenced;
static struct termios original;

// Leaves the terminal as it was, but for settings that a shell has made meanwhile: they are the
// shell's if this process is in the background by now. Returns whether it is not.
static bool restore(void)
{
    if (tcgetpgrp(silenced) != getpgrp()) return false;
    (void)tcsetattr(silenced, TCSANOW, &original);
    tcflush(silenced, TCIFLUSH);
    return true;
}

// Calls only what signal-safety(7) lists, and what does not wait.
static void end_by_fault(int number)
{
    (void)restore();
    handle_faults(SIG_DFL);
    // The signal comes as soon as this returns. So does the fault itself, if there was one.
    (void)raise(number);
}

// Prompts once.
static int prompt_once(
    int terminal, const char *prompt, unsigned char *line, size_t capacity, size_t *count)
{
    if (tcgetattr(terminal, &original) != 0) return errno;
    silenced = terminal;
    handle_faults(end_by_fault);
    int number = silence(terminal, original);
    if (number == 0) number = show(terminal, prompt);
    if (number == 0) number = read_line(terminal, line, capacity, count);
    // The newline is only for the eye.
    if (restore() && noted_stop == 0) (void)!write(terminal, "\n", 1);
    handle_faults(SIG_DFL);
    return number;
}

int cprocess_read_secret(const char *prompt, unsigned char *secret, size_t capacity, size_t *count)
{
    // It is not standard input, which may be data.
    const int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0) return errno == ENXIO || errno == ENOENT || errno == ENODEV ? -1 : errno;
    int number;
    do {
        handle_each(stopping, note);
        number = prompt_once(terminal, prompt, secret, capacity, count);
        handle_each(stopping, SIG_DFL);
        if (number != 0) {
            volatile unsigned char *bytes = secret;
            for (size_t index = 0; index < capacity; index++) bytes[index] = 0;
        }
        const int stop = noted_stop;
        if (stop != 0) {
            // From here on, an alarm is somebody else's, unless another signal came, too.
            alarm(0);
            noted_stop = 0;
            if (noted != 0) alarm(1);
        }
        // The process stops here. When it is continued, it prompts again from the start.
        if (stop != 0 && noted == 0) raise(stop);
    } while (number == EINTR && noted == 0);
    close(terminal);
    return number;
}
