#include "lanes.h"

void cpbkdf2_cleanse(void *bytes, size_t count)
{
    volatile uint8_t *byte = bytes;
    while (count-- > 0)
        *byte++ = 0;
}

// Overwrites 32 KiB, more than the functions of this target use together; those of unoptimised code
// for ARM use 25 KiB. The compiler puts there what does not fit into registers: the chains
// themselves. Above the array, it may leave a gap that keeps what was there before.
__attribute__((noinline)) void cpbkdf2_cleanse_stack(void)
{
    volatile uint64_t below[4096];
    for (size_t i = 0; i < sizeof below / sizeof *below; i++)
        below[i] = 0;
}
