// Thirty-two chains in pairs of vectors of 512 bits. What one of a pair waits for, the other does meanwhile, and the
// schedule's words that find no register are on the stack: a third less time a chain than with sixteen.
#if defined(__x86_64__)

#define LANES 32
#include "chains_vector.h"

__attribute__((target("avx512f"))) CLEANSES_GENERAL_REGISTERS
void cpbkdf2_iterate_32_avx512(struct lanes *lanes, uint32_t steps)
{
    iterate(lanes, steps);
    CLEAR_VECTORS;
}

#endif
