// Sixteen chains in vectors of 512 bits. AVX-512 has one instruction for a rotation and one for any function of three
// bits. The compiler uses both for the C code of the portable path.
#if defined(__x86_64__)

#define LANES 16
#include "chains_vector.h"

__attribute__((target("avx512f"))) CLEANSES_GENERAL_REGISTERS
void cpbkdf2_iterate_16_avx512(struct lanes *lanes, uint32_t steps)
{
    iterate(lanes, steps);
    CLEAR_VECTORS;
}

#endif
