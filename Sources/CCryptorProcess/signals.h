// What the handlers of this target share.
#ifndef CCRYPTORPROCESS_SIGNALS_H
#define CCRYPTORPROCESS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

// Whether a signal was ignored when the process was started, as nohup(1) has it, or cannot be asked for.
bool is_ignored(int number);

// Gives the terminal its echo back and forgets the secret, if one is being typed. Safe in handlers.
void leave_prompt(void);

// Ends the process by a signal, as if nobody had asked for it. Safe in handlers.
void end_by(int number);

#endif
