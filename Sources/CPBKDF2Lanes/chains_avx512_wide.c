// Thirty-two chains in pairs of vectors of 512 bits. While one vector of a pair waits for a result, the processor works
// on the other. A chain takes a third less time than with sixteen, although some of the schedule's words are on the
// stack for want of registers.
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
