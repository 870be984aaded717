#include "lanes.h"

void cpbkdf2_cleanse(void *bytes, size_t count)
{
    volatile uint8_t *byte = bytes;
    while (count-- > 0)
        *byte++ = 0;
}

// Overwrites 16 KiB, more than any frame of this target has; those of unoptimised code have 8 KiB.
// The compiler puts there what does not fit into registers: the chains themselves.
__attribute__((noinline)) void cpbkdf2_cleanse_stack(void)
{
    volatile uint64_t below[2048];
    for (size_t i = 0; i < sizeof below / sizeof *below; i++)
        below[i] = 0;
}
