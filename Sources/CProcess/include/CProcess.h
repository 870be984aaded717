#ifndef CPROCESS_H
#define CPROCESS_H

#include <stdbool.h>

// Keeps the memory of this process out of core files, and from other processes of the same user (PR_SET_DUMPABLE,
// prctl(2)). False if the system refuses any of it.
bool cprocess_forbid_dumps(void);

#endif
