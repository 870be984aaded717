// What the files of this target share.
#ifndef CPBKDF2_LANES_H
#define CPBKDF2_LANES_H

#include <stddef.h>
#include <stdint.h>

#define MAXIMUM_LANES 32
#define LANES_PER_KEY 2

// For functions with secrets in registers: the next function that saves registers would write them to memory.
#if __has_attribute(zero_call_used_regs)
#define CLEANSES_REGISTERS __attribute__((zero_call_used_regs("used")))
#define CLEANSES_GENERAL_REGISTERS __attribute__((zero_call_used_regs("used-gpr")))
#else
#define CLEANSES_REGISTERS
#define CLEANSES_GENERAL_REGISTERS
#endif

#if defined(__x86_64__)
// All 32 vector registers of AVX-512. Of xmm16 and above, clang 17 (Swift 6.2) clears none, or with instructions that cannot
// name them, and clang 21 only those that are wider. No compiler keeps a value in a register that is said to be overwritten.
#define CLEAR(n) "vpxord %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"
#define CLEAR_VECTORS                                                                                       \
    __asm__ volatile("vzeroall\n\t"                                                                         \
        CLEAR(16) CLEAR(17) CLEAR(18) CLEAR(19) CLEAR(20) CLEAR(21) CLEAR(22) CLEAR(23)                     \
        CLEAR(24) CLEAR(25) CLEAR(26) CLEAR(27) CLEAR(28) CLEAR(29) CLEAR(30) CLEAR(31)                     \
        ::: "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",       \
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20",  \
        "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31")
#endif

// For functions with many vectors, in case all of this is compiled for processors with AVX-512.
#if defined(__AVX512F__)
#define CLEAR_UPPER_VECTORS CLEAR_VECTORS
#else
#define CLEAR_UPPER_VECTORS (void)0
#endif

// The chains, one a lane. The same word of all lanes lies side by side, as vectors want it.
struct lanes {
    // SHA-1 after the block of HMAC's inner and outer key.
    _Alignas(64) uint32_t inner[5][MAXIMUM_LANES];
    _Alignas(64) uint32_t outer[5][MAXIMUM_LANES];
    // The last HMAC, and the exclusive or of all so far.
    _Alignas(64) uint32_t last[5][MAXIMUM_LANES];
    _Alignas(64) uint32_t sum[5][MAXIMUM_LANES];
};

// One more HMAC of every lane's last HMAC, `steps` times. Each works on as many lanes as its name says.
void cpbkdf2_iterate_4_portable(struct lanes *lanes, uint32_t steps);
#if defined(__x86_64__)
void cpbkdf2_iterate_2_sha(struct lanes *lanes, uint32_t steps);
void cpbkdf2_iterate_4_sha(struct lanes *lanes, uint32_t steps);
void cpbkdf2_iterate_16_avx512(struct lanes *lanes, uint32_t steps);
void cpbkdf2_iterate_32_avx512(struct lanes *lanes, uint32_t steps);
#endif

// A password, as the states of SHA-1 after HMAC's keys.
struct keyed_states {
    uint32_t inner[5];
    uint32_t outer[5];
};

void cpbkdf2_key(struct keyed_states *states, const uint8_t *password, size_t password_bytes);

// The first HMAC of a chain: of the salt and the block's number.
void cpbkdf2_first(
    uint32_t digest[5], const struct keyed_states *states, const uint8_t *salt, size_t salt_bytes, uint32_t block);

// Overwrites secrets in a way that the compiler does not leave out.
void cpbkdf2_cleanse(void *bytes, size_t count);

// The same for what the function that the caller called before has left on the stack.
void cpbkdf2_cleanse_stack(void);

#endif
