// The declarations that the files of this target share.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAXIMUM_LANES 32
#define LANES_PER_KEY 2

// When a function returns, clears the registers that it has used. Otherwise the next function that
// saves registers would write the secrets in them to memory.
#if __has_attribute(zero_call_used_regs)
#define CLEANSES_REGISTERS __attribute__((zero_call_used_regs("used")))
#define CLEANSES_GENERAL_REGISTERS __attribute__((zero_call_used_regs("used-gpr")))
#else
#define CLEANSES_REGISTERS
#define CLEANSES_GENERAL_REGISTERS
#endif

#if defined(__x86_64__)
// Clears all 32 vector registers of AVX-512, since the attribute does not reliably clear xmm16 and
// above: clang 17 (Swift 6.2) clears none of them, or uses instructions that cannot name them, and
// clang 21 clears only the wider ones. The list at the end tells the compiler that they are
// overwritten, so it keeps no value in them.
#define CLEAR(n) "vpxord %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"
#define CLEAR_VECTORS                                                                              \
    __asm__ volatile("vzeroall\n\t"                                                                \
        CLEAR(16) CLEAR(17) CLEAR(18) CLEAR(19) CLEAR(20) CLEAR(21) CLEAR(22) CLEAR(23)            \
        CLEAR(24) CLEAR(25) CLEAR(26) CLEAR(27) CLEAR(28) CLEAR(29) CLEAR(30) CLEAR(31)            \
        ::: "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",              \
        "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",                      \
        "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23",                    \
        "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31")
#endif

// The chains, one per lane. The same word of all lanes is contiguous, as vectors need it.
struct lanes {
    // The states of SHA-1 after the block of HMAC's inner key, and after that of its outer key.
    _Alignas(64) uint32_t inner[5][MAXIMUM_LANES];
    _Alignas(64) uint32_t outer[5][MAXIMUM_LANES];
    // The last HMAC, at first that of the salt; and the result: the exclusive or of all HMACs.
    _Alignas(64) uint32_t last[5][MAXIMUM_LANES];
    _Alignas(64) uint32_t sum[5][MAXIMUM_LANES];
};

// Continues each chain by `steps` HMACs, each over the last one. A function's name says how many
// lanes it works on.
void cpbkdf2_iterate_4_portable(struct lanes *lanes, uint32_t steps);
#if defined(__x86_64__)
void cpbkdf2_iterate_2_sha(struct lanes *lanes, uint32_t steps);
void cpbkdf2_iterate_4_sha(struct lanes *lanes, uint32_t steps);
void cpbkdf2_iterate_32_avx512(struct lanes *lanes, uint32_t steps);
#endif
#if defined(__aarch64__)
void cpbkdf2_iterate_2_arm(struct lanes *lanes, uint32_t steps);
void cpbkdf2_iterate_4_arm(struct lanes *lanes, uint32_t steps);
#endif

// What is kept of a password: the states of SHA-1 after HMAC's inner and outer key.
struct keyed_states {
    uint32_t inner[5];
    uint32_t outer[5];
};

void cpbkdf2_key(struct keyed_states *states, const uint8_t *password, size_t password_bytes);

// The first HMAC of a chain: of the salt and the block's number.
void cpbkdf2_first(
    uint32_t digest[5], const struct keyed_states *states, const uint8_t *salt,
    size_t salt_bytes, uint32_t block);

// Overwrites secrets in a way that the compiler cannot optimise away.
void cpbkdf2_cleanse(void *bytes, size_t count);

// Overwrites what a function that the caller has called before left on the stack.
void cpbkdf2_cleanse_stack(void);
