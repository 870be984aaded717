#ifndef CCRYPTORPROCESS_H
#define CCRYPTORPROCESS_H

// The parts of the C library that the command uses, under one name on every system.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Called first of all. Keeps the memory of this process out of core files and of what Swift shows
// after a crash, and away from other processes of the same user (PR_SET_DUMPABLE, prctl(2)), as far
// as the system lets it.
//
// From here on all signals that end a process are noted and do not end it, except those of faults,
// such as SIGSEGV and SIGABRT. Those that it was started with ignored stay ignored. A signal
// interrupts the present system call, and an alarm later ones, once a second.
void cprocess_start(void);

// The first signal that was noted, or 0.
int cprocess_noted_signal(void);

// Ends the process by the signal that was noted, so that a shell's loop or make(1) that runs it
// ends as well. There is no core file. Returns where the default action is not taken, as in the
// first process of a container.
void cprocess_raise_noted_signal(void);

// The width of a terminal; 0 for anything else.
int cprocess_terminal_columns(int descriptor);

// Whether the process is in the background of a terminal, where others write. 0 if the descriptor
// is not the terminal of the process.
int cprocess_is_in_background(int descriptor);

// Shows a prompt on the terminal of the process and reads a line that is not shown, without its
// newline.
//
// The echo is on again while the process is stopped (but for SIGSTOP), when the signal of a fault
// ends it, and when this returns, which it does after a noted signal. After a stop the prompt is
// shown again, and what was typed before is dropped.
//
// secret: room for the line, wiped if there is no line to return. count: where the length of the
// line goes. Returns 0; -1 if the process has no terminal; EINTR after a noted signal; EMSGSIZE for
// a line that does not fit with its newline; or the system's error number.
int cprocess_read_secret(const char *prompt, unsigned char *secret, size_t capacity, size_t *count);

#endif
