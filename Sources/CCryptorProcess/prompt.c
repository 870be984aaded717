// Reads a secret that is typed at a terminal.
#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "CCryptorProcess.h"
#include "signals.h"
#include "turn.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

static int terminal;
static struct termios original, silent;
static volatile sig_atomic_t is_silent;
static unsigned char *secret;
static size_t capacity;

static volatile sig_atomic_t stop_signal;
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
static bool set(const struct termios *settings, bool drops_input)
{
    return tcsetattr(terminal, TCSANOW, settings) == 0 && (!drops_input || tcflush(terminal, TCIFLUSH) == 0);
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
    if (tcgetpgrp(terminal) == getpgrp() || (tcgetattr(terminal, &now) == 0 && is_same(&now, &silent)))
        set(&original, true);
    is_silent = 0;
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

void leave_prompt(void)
{
    wipe();
    restore_echo();
}

static void note_stop(int number) { stop_signal = number; }

// The handler of a signal while a secret is typed; NULL if the signal's handler is not replaced.
static void (*handler(int number))(int)
{
    switch (number) {
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
        return note_stop;
    // signals.c handles these: it notes them, or interrupts a waiting call.
    case SIGCONT:
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
    case SIGQUIT:
    case SIGALRM:
    // These cannot be caught.
    case SIGKILL:
    case SIGSTOP:
    // These have no effect unless they are handled.
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH:
#if defined(SIGINFO)
    case SIGINFO:
#endif
        return NULL;
    default:
        return end_by;
    }
}

static void install_handlers(void)
{
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action = {.sa_handler = handler(number)};
        if (action.sa_handler == NULL || is_ignored(number)) continue;
        sigemptyset(&action.sa_mask);
        sigaction(number, &action, &before[number]);
    }
}

static void remove_handlers(void)
{
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        void (*ours)(int) = handler(number);
        if (ours != NULL && sigaction(number, NULL, &action) == 0 && action.sa_handler == ours)
            sigaction(number, &before[number], NULL);
    }
}

// Returns the same numbers as `wait_until`. In the background the system sends a signal that stops the process.
static int silence(bool drops_input)
{
    struct termios now;
    if (tcgetattr(terminal, &now) != 0) return errno;
    // After SIGSTOP the terminal may still be silent: those are not the settings to restore in the end.
    if (!is_silent || !is_same(&now, &silent)) original = now;
    silent = original;
    silent.c_lflag &= ~(tcflag_t)ECHO;
    // A terminal may have been left raw, where neither Return nor Ctrl-C would do what they should.
    silent.c_lflag |= ICANON | ISIG;
    silent.c_iflag &= ~(tcflag_t)(IGNCR | INLCR);
    silent.c_iflag |= ICRNL;
    is_silent = 1;
    if (!set(&silent, drops_input)) {
        return errno == EINTR && stop_signal == 0 && cprocess_noted_signal() == 0 ? EAGAIN : errno;
    }
    if (tcgetattr(terminal, &silent) != 0) return errno;
    return silent.c_lflag & ECHO ? ENOTTY : 0;
}

// Switches the echo off if somebody else has switched it on. What has been typed is kept.
static int stay_silent(void)
{
    struct termios now;
    if (tcgetattr(terminal, &now) != 0 || !(now.c_lflag & ECHO)) return 0;
    // In the background the settings belong to somebody else.
    return tcgetpgrp(terminal) == getpgrp() ? silence(false) : 0;
}

typedef enum { readable, writable, later } condition;

// Waits until the terminal can be read or written, or a tenth of a second has passed: what others do to the terminal
// has to be polled. Returns 0; ETIMEDOUT; EINTR for a signal that wants to stop or end the process; EAGAIN after the
// process was continued; or the system's error number.
static int wait_until(condition condition)
{
    fd_set descriptors;
    FD_ZERO(&descriptors);
    if (condition != later) FD_SET(terminal, &descriptors);
    const struct timespec patience = {0, 100 * 1000 * 1000};
    // Signals are blocked until the wait begins, so that none comes unnoticed between the check and the wait.
    sigset_t all, mask;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &mask);
    int number = 0;
    if (stop_signal != 0 || cprocess_noted_signal() != 0) {
        number = EINTR;
    } else if (cprocess_was_continued()) {
        number = EAGAIN;
    } else {
        const int count = pselect(
            terminal + 1, condition == readable ? &descriptors : NULL, condition == writable ? &descriptors : NULL,
            NULL, &patience, &mask);
        if (count == 0) number = ETIMEDOUT;
        if (count < 0 && errno != EINTR) number = errno;
    }
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return number;
}

// The descriptor by which this process takes its turn to prompt on the terminal (turn.c).
static int turn;

// Returns the same numbers as `wait_until`, except ETIMEDOUT.
static int wait_for_turn(void)
{
    while (!take_turn(turn)) {
        const int number = wait_until(later);
        if (number != 0 && number != ETIMEDOUT) return number;
    }
    return 0;
}

static int show(const char *text)
{
    while (*text != 0) {
        const int number = wait_until(writable);
        if (number == ETIMEDOUT) continue;
        if (number != 0) return number;
        const ssize_t written = write(terminal, text, strlen(text));
        if (written < 0 && errno != EINTR && errno != EAGAIN) return errno;
        if (written > 0) text += written;
    }
    return 0;
}

// How many bytes Linux passes on of a line, without its newline (N_TTY_BUF_SIZE, termios(3)). Others pass on fewer.
static const size_t longest_line = 4095;

// Returns the same numbers as `wait_until`, except ETIMEDOUT; and EMSGSIZE for a line that is too long.
static int read_line(const char *prompt, size_t *count)
{
    *count = 0;
    int number = wait_for_turn();
    if (number == 0) number = silence(true);
    if (number == 0) number = show(prompt);
    while (number == 0) {
        number = stay_silent();
        if (number == 0) number = wait_until(readable);
        if (number == ETIMEDOUT) {
            number = 0;
            continue;
        }
        if (number != 0) break;
        // Each byte is read alone, straight to its final place: there is no copy, and the next line stays unread.
        const ssize_t received = read(terminal, secret + *count, 1);
        if (received < 0 && errno != EINTR && errno != EAGAIN) return errno;
        if (received < 0) continue;
        // A signal that came with the end of the input, such as SIGHUP when the terminal is closed, takes precedence.
        if (received == 0) return cprocess_noted_signal() != 0 ? EINTR : 0;
        if (secret[*count] == '\n') {
            secret[*count] = 0;
            // A terminal silently drops the rest of a longer line.
            return *count >= longest_line ? EMSGSIZE : 0;
        }
        if (++*count == capacity) return EMSGSIZE;
    }
    return number;
}

int cprocess_read_secret(
    int descriptor, const char *prompt, unsigned char *room, size_t room_count, size_t *count)
{
    if (descriptor < 0 || descriptor >= FD_SETSIZE) return EMFILE;
    terminal = descriptor;
    secret = room;
    capacity = room_count;
    turn = open_turn(terminal);
    int number, stop;
    do {
        stop_signal = 0;
        (void)cprocess_was_continued();
        install_handlers();
        do {
            wipe();
            number = read_line(prompt, count);
        } while (number == EAGAIN);
        if (number != 0) wipe();
        restore_echo();
        const bool is_ending = cprocess_noted_signal() != 0;
        stop = number == EINTR && !is_ending ? stop_signal : 0;
        const bool is_shown = stop == 0 && write(terminal, "\n", 1) == 1;
        (void)is_shown;
        end_turn(turn);
        remove_handlers();
        // The process stops here. When it is continued, it prompts again from the start.
        if (stop != 0) raise(stop);
    } while (stop != 0);
    // From here on the secret belongs to the caller, and `wipe` must leave it alone.
    capacity = 0;
    close_turn(turn);
    return number;
}
