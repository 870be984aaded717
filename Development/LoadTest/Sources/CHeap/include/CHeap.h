#include <stddef.h>

/// To be called first: malloc gives back what is free at once. It would otherwise keep the most that each of its arenas
/// ever had, which is different in each round, and a leak could hide there.
void cheap_prepare(void);

/// Gives back the rest of what is free, so that memory in use can be compared, and returns the bytes that malloc has given
/// out and not had back.
size_t cheap_settle(void);
