// Thirty-two chains in pairs of vectors of 512 bits. While one vector of a pair waits for a result,
// the processor works on the other. AVX-512 has one instruction for a rotation and one for any
// function of three bits; the compiler uses both for the C code of the portable path. Some of the
// schedule's words are on the stack for want of registers.
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
