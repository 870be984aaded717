#ifndef CCRYPTORPROCESS_H
#define CCRYPTORPROCESS_H

#include <stdbool.h>
#include <stddef.h>

// Keeps the memory of this process out of core files, out of what Swift shows of a crash, and from other processes of the
// same user (PR_SET_DUMPABLE, prctl(2)). False if the system refuses any of it.
bool cprocess_forbid_dumps(void);

// The words of the command line, with a null pointer at their end, as the system passed them; NULL where it passes them to
// main only.
char **cprocess_arguments(void);

// Gives the numbers 0, 1 and 2 to something that can be neither read nor written, if the process was started without them:
// otherwise the next files that are opened would get these numbers, and what is said be written into them. Returns 0 or the
// system's error number, after which nothing may be opened.
int cprocess_occupy_standard_streams(void);

// From here on SIGINT, SIGTERM, SIGHUP and SIGQUIT are noted and do not end the process, unless it was started with them
// ignored; also if it was started with them blocked. SIGCONT is noted, too. Calls of the system are interrupted, and so are those that begin later, once a second.
void cprocess_note_signals(void);

// The last signal that was noted, or 0.
int cprocess_noted_signal(void);

// How many columns a terminal has now; 0 of anything else.
int cprocess_columns(int descriptor);

// Whether the process was stopped and continued since this was asked last.
bool cprocess_was_continued(void);

// Shows a prompt on the terminal and reads a line that is not shown, without its newline.
//
// The echo is on again whenever the process stops, ends by any signal that can be caught, or returns from here. After a
// stop the prompt is shown again, and what was typed before is dropped. Another process that prompts on the same terminal
// is waited for first, where this user may open the terminal by its own name.
//
// terminal: a descriptor that was opened with O_NONBLOCK. secret: room for the line; wiped if there is none to return.
// count: where the length of the line goes. Returns 0; EINTR after a noted signal; EMSGSIZE for a line that does not leave
// a byte of the room, or is longer than what a terminal passes on; or the system's error number.
int cprocess_read_secret(int terminal, const char *prompt, unsigned char *secret, size_t capacity, size_t *count);

#endif
