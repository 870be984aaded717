// Signals, and the prompt whose terminal has to be restored when one comes. This is C because Swift initialises a static
// variable at its first use, which might be in a handler.
#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "CCryptorProcess.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

static bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) != 0 || action.sa_handler == SIG_IGN;
}

static void handle(int number, void (*handler)(int))
{
    sigaction(number, &(const struct sigaction){.sa_handler = handler}, NULL);
}

// Signals that end the run

static atomic_int noted;

static void wake(int number) { alarm(number > 0); }

static void note(int number)
{
    atomic_store(&noted, number);
    // A system call that begins just after the signal would wait as if none had come: an alarm interrupts it.
    handle(SIGALRM, wake);
    alarm(1);
}

void cprocess_note_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGALRM);
    for (size_t index = 0; index < sizeof ending / sizeof *ending; index++) {
        if (!is_ignored(ending[index])) handle(ending[index], note);
        sigaddset(&awaited, ending[index]);
    }
    // The process may have been started with these signals blocked.
    pthread_sigmask(SIG_UNBLOCK, &awaited, NULL);
}

int cprocess_noted_signal(void) { return atomic_load(&noted); }

// The prompt

static int terminal;
static struct termios original, silent;
static volatile sig_atomic_t is_silent, stop_signal, was_continued;
static unsigned char *secret;
static size_t capacity;
static struct sigaction before[NSIG];

static void wipe(void)
{
    volatile unsigned char *bytes = secret;
    for (size_t index = 0; index < capacity; index++) bytes[index] = 0;
}

static bool is_same(const struct termios *a, const struct termios *b)
{
    return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_lflag == b->c_lflag;
}

// TCSAFLUSH is not used because it waits for the output as well, which Ctrl-S may have stopped.
static bool set(const struct termios *settings)
{
    return tcsetattr(terminal, TCSANOW, settings) == 0 && tcflush(terminal, TCIFLUSH) == 0;
}

static void restore_echo(void)
{
    if (!is_silent) return;
    // With this signal blocked, the settings may be changed from the background.
    sigset_t background, mask;
    sigemptyset(&background);
    sigaddset(&background, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &background, &mask);
    struct termios now;
    // In the background the settings belong to somebody else, unless they are still the ones made here.
    if (tcgetpgrp(terminal) == getpgrp() || (tcgetattr(terminal, &now) == 0 && is_same(&now, &silent))) set(&original);
    is_silent = 0;
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static void end_by(int number)
{
    wipe();
    restore_echo();
    // The former handler may be Swift's, which shows registers and memory. The signal comes when this one returns.
    if (signal(number, SIG_DFL) == SIG_ERR || raise(number) != 0) _exit(128 + number);
}

static void note_stop(int number) { stop_signal = number; }

static void note_continuation(int number) { was_continued = number; }

// The handler of a signal at the prompt; NULL for a signal that is noted already, cannot be caught, or has no effect.
static void (*prompt_handler(int number))(int)
{
    switch (number) {
    case SIGTSTP: case SIGTTIN: case SIGTTOU: return note_stop;
    case SIGCONT: return note_continuation;
    case SIGINT: case SIGTERM: case SIGHUP: case SIGQUIT: case SIGKILL: case SIGSTOP: case SIGCHLD: case SIGURG:
    case SIGWINCH: return NULL;
    default: return end_by;
    }
}

static void install_handlers(void)
{
    for (int number = 1; number < NSIG; number++) {
        void (*handler)(int) = prompt_handler(number);
        if (handler == NULL || is_ignored(number)) continue;
        sigaction(number, NULL, &before[number]);
        handle(number, handler);
    }
}

static void remove_handlers(void)
{
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        void (*handler)(int) = prompt_handler(number);
        if (handler != NULL && sigaction(number, NULL, &action) == 0 && action.sa_handler == handler)
            sigaction(number, &before[number], NULL);
    }
}

// Returns the same numbers as `wait_until`. In the background this is stopped by SIGTTOU.
static int silence(void)
{
    struct termios now;
    if (tcgetattr(terminal, &now) != 0) return errno;
    // After SIGSTOP the terminal may still be silent: those are not the settings to restore in the end.
    if (!is_silent || !is_same(&now, &silent)) original = now;
    silent = original;
    silent.c_lflag &= ~(tcflag_t)ECHO;
    // In a terminal that was left raw, neither Return nor Ctrl-C would do what they should.
    silent.c_lflag |= ICANON | ISIG;
    silent.c_iflag &= ~(tcflag_t)(IGNCR | INLCR);
    silent.c_iflag |= ICRNL;
    is_silent = 1;
    if (!set(&silent)) return errno == EINTR && stop_signal == 0 ? EAGAIN : errno;
    if (tcgetattr(terminal, &silent) != 0) return errno;
    return silent.c_lflag & ECHO ? ENOTTY : 0;
}

// Waits until the terminal can be read or written. Returns 0; EINTR for a signal that wants to stop or end the process;
// EAGAIN after the process was continued; or the system's error number.
static int wait_until(bool is_readable)
{
    fd_set descriptors;
    FD_ZERO(&descriptors);
    FD_SET(terminal, &descriptors);
    // Signals are blocked until the wait begins, so that none comes unnoticed between the check and the wait.
    sigset_t all, mask;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &mask);
    int number = 0;
    while (number == 0) {
        if (stop_signal != 0 || cprocess_noted_signal() != 0) {
            number = EINTR;
        } else if (was_continued) {
            number = EAGAIN;
        } else if (pselect(terminal + 1, is_readable ? &descriptors : NULL, is_readable ? NULL : &descriptors, NULL,
                           NULL, &mask) >= 0) {
            break;
        } else if (errno != EINTR) {
            number = errno;
        }
    }
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return number;
}

static int show(const char *text)
{
    int number = 0;
    while (*text != 0 && (number = wait_until(false)) == 0) {
        const ssize_t written = write(terminal, text, strlen(text));
        if (written < 0 && errno != EINTR && errno != EAGAIN) return errno;
        if (written > 0) text += written;
    }
    return number;
}

// Returns the same numbers as `wait_until`, and EMSGSIZE for a line that is too long.
static int read_line(const char *prompt, size_t *count)
{
    *count = 0;
    was_continued = 0;
    int number = silence();
    if (number == 0) number = show(prompt);
    while (number == 0 && (number = wait_until(true)) == 0) {
        // Each byte is read alone, straight to its final place: there is no copy, and the next line stays unread.
        const ssize_t received = read(terminal, secret + *count, 1);
        if (received < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (received < 0) return errno;
        // A signal that came with the end of the input, such as SIGHUP when the terminal is closed, takes precedence.
        if (received == 0) return cprocess_noted_signal() != 0 ? EINTR : 0;
        if (secret[*count] == '\n') {
            secret[*count] = 0;
            // A terminal silently drops the rest of a line longer than this (N_TTY_BUF_SIZE, termios(3)).
            return *count >= 4095 ? EMSGSIZE : 0;
        }
        if (++*count == capacity) return EMSGSIZE;
    }
    return number;
}

int cprocess_read_secret(
    int descriptor, const char *prompt, unsigned char *room, size_t room_count, size_t *count)
{
    if ((unsigned)descriptor >= FD_SETSIZE) return EMFILE;
    terminal = descriptor;
    secret = room;
    capacity = room_count;
    int number, stop;
    do {
        stop_signal = 0;
        install_handlers();
        do {
            wipe();
            number = read_line(prompt, count);
        } while (number == EAGAIN);
        if (number != 0) wipe();
        restore_echo();
        stop = number == EINTR && cprocess_noted_signal() == 0 ? stop_signal : 0;
        // The newline is only for the eye, and a terminal that is held by Ctrl-S does not take it.
        if (stop == 0) (void)!write(terminal, "\n", 1);
        remove_handlers();
        // The process stops here. When it is continued, it prompts again from the start.
        if (stop != 0) raise(stop);
    } while (stop != 0);
    // From here on the secret belongs to the caller, and `wipe` must leave it alone.
    capacity = 0;
    return number;
}
