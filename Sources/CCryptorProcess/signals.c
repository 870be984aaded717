// The handlers are in C because Swift initialises a static variable at its first use, which might be in a handler.
#include "CCryptorProcess.h"
#include "signals.h"

#include <stdatomic.h>
#include <unistd.h>

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static atomic_int noted;
static atomic_bool was_continued;
static bool ignores_alarms;

bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) != 0 || action.sa_handler == SIG_IGN;
}

void end_by(int number)
{
    leave_prompt();
    // The former handler is not restored: for a crash it may be Swift's, which would show registers and memory.
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    // The signal is delivered when the handler returns.
    if (sigaction(number, &action, NULL) != 0 || raise(number) != 0) _exit(128 + number);
}

static void note(int number)
{
    atomic_store(&noted, number);
    // A system call that begins just after the signal would wait as if none had come: an alarm interrupts it.
    alarm(1);
}

static void wake(int number)
{
    if (atomic_load(&noted) != 0) {
        alarm(1);
    } else if (!ignores_alarms) {
        end_by(number);
    }
}

static void note_continuation(int number)
{
    (void)number;
    atomic_store(&was_continued, true);
}

void cprocess_note_signals(void)
{
    struct sigaction action = {.sa_handler = note};
    sigemptyset(&action.sa_mask);
    // The process may have been started with these signals blocked.
    sigset_t awaited;
    sigemptyset(&awaited);
    for (size_t index = 0; index < sizeof ending_signals / sizeof *ending_signals; index++) {
        if (!is_ignored(ending_signals[index])) sigaction(ending_signals[index], &action, NULL);
        sigaddset(&awaited, ending_signals[index]);
    }
    ignores_alarms = is_ignored(SIGALRM);
    action.sa_handler = wake;
    sigaction(SIGALRM, &action, NULL);
    action.sa_handler = note_continuation;
    sigaction(SIGCONT, &action, NULL);
    sigaddset(&awaited, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &awaited, NULL);
}

int cprocess_noted_signal(void)
{
    return atomic_load(&noted);
}

bool cprocess_was_continued(void)
{
    return atomic_exchange(&was_continued, false);
}
