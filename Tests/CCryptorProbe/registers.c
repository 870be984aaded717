#include "CCryptorProbe.h"

#if defined(__x86_64__) && __has_include(<CPBKDF2Lanes.h>)

#include <CPBKDF2Lanes.h>

#define EACH_REGISTER(DO)                                                                          \
    DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)                                                \
    DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)                                          \
    DO(16) DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23)                                        \
    DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30) DO(31)
#define CLEAR(n) "vpxord %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"
#define STORE(n) "vmovdqu64 %%zmm" #n ", 64*" #n "(%0)\n\t"

bool probe_registers_after_lanes(int path, size_t count, uint8_t registers[PROBE_REGISTER_BYTES])
{
    uint8_t keys[16][CPBKDF2_KEY_BYTES];
    struct cpbkdf2_request requests[16];
    if (!cpbkdf2_is_available(cpbkdf2_avx512) || count > 16)
        return false;
    for (size_t i = 0; i < count; i++)
        requests[i] = (struct cpbkdf2_request){
            (const uint8_t *)"password", 8, (const uint8_t *)"saltsalt", 8, keys[i]};
    __asm__ volatile(EACH_REGISTER(CLEAR)::: "memory");
    cpbkdf2_derive((enum cpbkdf2_path)path, requests, count, 3);
    __asm__ volatile(EACH_REGISTER(STORE)::"r"(registers) : "memory");
    return true;
}

#endif
