#ifndef CRYPTORFORMAT_CTERMINAL_H
#define CRYPTORFORMAT_CTERMINAL_H

#include <sys/types.h>

/// Starts a script of /bin/sh in a session of its own, with a pseudo-terminal as its terminal and
/// standard streams. Returns the descriptor of the terminal's other side, or -1 for failure;
/// `*process` is the script's process. This is written in C because Swift's view of the C library
/// has neither fork nor posix_openpt.
int start_at_terminal(const char *script, pid_t *process);

#endif
