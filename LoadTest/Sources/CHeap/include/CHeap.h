#include <stddef.h>

/// Gives what is free back to the system, so that memory in use can be compared, and returns the bytes that malloc has
/// given out and not had back.
size_t cheap_settle(void);
