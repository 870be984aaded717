#include "CCryptorProbe.h"

#if defined(PROBE_REGISTER_BYTES) && __has_include(<CPBKDF2Lanes.h>)

#include <CPBKDF2Lanes.h>

#define EACH_REGISTER(DO)                                                                          \
    DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)                                                \
    DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)                                          \
    DO(16) DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23)                                        \
    DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30) DO(31)
#if defined(__x86_64__)
#define CLEAR(n) "vpxord %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"
#define STORE(n) "vmovdqu64 %%zmm" #n ", 64*" #n "(%0)\n\t"
#define KEPT_FOR_THE_CALLER
#else
#define CLEAR(n) "movi v" #n ".2d, #0\n\t"
#define STORE(n) "str q" #n ", [%0, #16*" #n "]\n\t"
// A function leaves half of each as it was.
#define KEPT_FOR_THE_CALLER , "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15"
#endif

bool probe_registers_after_lanes(int path, size_t count, uint8_t registers[PROBE_REGISTER_BYTES])
{
    uint8_t keys[16][CPBKDF2_KEY_BYTES];
    struct cpbkdf2_request requests[16];
#if defined(__x86_64__)
    if (!cpbkdf2_is_available(cpbkdf2_avx512))
        return false;
#endif
    if (count > 16)
        return false;
    for (size_t i = 0; i < count; i++)
        requests[i] = (struct cpbkdf2_request){
            (const uint8_t *)"password", 8, (const uint8_t *)"saltsalt", 8, keys[i]};
    __asm__ volatile(EACH_REGISTER(CLEAR)::: "memory" KEPT_FOR_THE_CALLER);
    cpbkdf2_derive((enum cpbkdf2_path)path, requests, count, 3);
    __asm__ volatile(EACH_REGISTER(STORE)::"r"(registers) : "memory");
    return true;
}

#endif
