// One process at a time prompts on a terminal.
//
// Two, as of two commands in a pipeline, would each take the silence of the other for what the terminal was like before, and
// nobody could tell which of them gets what is typed.
#ifndef CCRYPTORPROCESS_TURN_H
#define CCRYPTORPROCESS_TURN_H

#include <stdbool.h>

// Returns what the others take; -1 where the terminal has no name that this user may open: it is done without then.
int open_turn(int terminal);

// Whether it is the turn of this process. It lasts until it is ended, or the process is.
bool take_turn(int turn);

void end_turn(int turn);

void close_turn(int turn);

#endif
