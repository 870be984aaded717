// Sixteen chains in vectors of 512 bits. AVX-512 rotates in one instruction and has any function of three bits in one:
// the compiler finds both in the C of the portable path.
#if defined(__x86_64__)

#define LANES 16
#include "chains_vector.h"

// Clang 17, which Swift 6.2 has, clears xmm16 and above with instructions that cannot name them: vectors are not left to
// it. No compiler keeps a value in a register that is said to be overwritten.
#define CLEAR(n) "vpxord %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"
#define CLEAR_VECTORS                                                                                       \
    __asm__ volatile("vzeroall\n\t"                                                                         \
        CLEAR(16) CLEAR(17) CLEAR(18) CLEAR(19) CLEAR(20) CLEAR(21) CLEAR(22) CLEAR(23)                     \
        CLEAR(24) CLEAR(25) CLEAR(26) CLEAR(27) CLEAR(28) CLEAR(29) CLEAR(30) CLEAR(31)                     \
        ::: "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",       \
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20",  \
        "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31")

__attribute__((target("avx512f"))) CLEANSES_GENERAL_REGISTERS
void cpbkdf2_iterate_16_avx512(struct lanes *lanes, uint32_t steps)
{
    iterate(lanes, steps);
    CLEAR_VECTORS;
}

#endif
