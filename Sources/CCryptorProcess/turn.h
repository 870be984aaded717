// One process at a time prompts on a terminal.
//
// Two processes, such as two commands in a pipeline, would each take the settings made by the other for the original
// ones, and the user could not tell which of them gets what is typed.
#ifndef CCRYPTORPROCESS_TURN_H
#define CCRYPTORPROCESS_TURN_H

#include <stdbool.h>

// Returns a descriptor for the functions below. It is -1 if the terminal has no name that this user may open: nobody
// waits for a turn then.
int open_turn(int terminal);

// Whether it is this process's turn. The turn lasts until `end_turn`, or until the process ends.
bool take_turn(int turn);

void end_turn(int turn);

void close_turn(int turn);

#endif
