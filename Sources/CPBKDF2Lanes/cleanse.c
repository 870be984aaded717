#include "lanes.h"

void cpbkdf2_cleanse(void *bytes, size_t count)
{
    volatile uint8_t *byte = bytes;
    while (count-- > 0)
        *byte++ = 0;
}

// Deeper than any frame of this target: registers that the compiler had no room for are the chains themselves.
__attribute__((noinline)) void cpbkdf2_cleanse_stack(void)
{
    uint8_t below[8192];
    cpbkdf2_cleanse(below, sizeof below);
}
