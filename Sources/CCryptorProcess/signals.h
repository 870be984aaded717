// What the handlers of this target share.
#ifndef CCRYPTORPROCESS_SIGNALS_H
#define CCRYPTORPROCESS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

// Returns true if a signal is ignored, as SIGHUP is under nohup(1), or if the system does not tell.
bool is_ignored(int number);

// Switches the terminal's echo on again and wipes the secret, if one is being typed. Safe in handlers.
void leave_prompt(void);

// Ends the process by a signal, as if the signal had no handler. Safe in handlers.
void end_by(int number);

#endif
