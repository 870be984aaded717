// What the files of this target share.
#ifndef CPBKDF2_LANES_H
#define CPBKDF2_LANES_H

#include <stddef.h>
#include <stdint.h>

#define MAXIMUM_LANES 16
#define LANES_PER_KEY 2

// For functions with secrets in registers: the next function that saves registers would write them to memory.
#if __has_attribute(zero_call_used_regs)
#define CLEANSES_REGISTERS __attribute__((zero_call_used_regs("used")))
#define CLEANSES_GENERAL_REGISTERS __attribute__((zero_call_used_regs("used-gpr")))
#else
#define CLEANSES_REGISTERS
#define CLEANSES_GENERAL_REGISTERS
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
