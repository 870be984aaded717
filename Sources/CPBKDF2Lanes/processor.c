// Which instructions this processor has.
#include "CPBKDF2Lanes.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <stdatomic.h>

// The bits of XCR0 that say that the system keeps the registers of SSE, AVX and AVX-512.
#define XCR0_AVX512 0xE6u

enum { KNOWN = 1, HAS_SHA = 2, HAS_AVX512 = 4 };

static uint32_t kept_registers(void)
{
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static int look(void)
{
    unsigned eax, ebx, ecx, edx, features_1, features_7;
    if (!__get_cpuid(1, &eax, &ebx, &features_1, &edx) || !__get_cpuid_count(7, 0, &eax, &features_7, &ecx, &edx))
        return KNOWN;
    const bool sha = (features_1 & bit_SSE4_1) && (features_7 & bit_SHA);
    const bool avx512 = (features_1 & bit_OSXSAVE) && (features_7 & bit_AVX512F)
        && (kept_registers() & XCR0_AVX512) == XCR0_AVX512;
    return KNOWN | (sha ? HAS_SHA : 0) | (avx512 ? HAS_AVX512 : 0);
}

// Looked up once: under a hypervisor, CPUID takes tens of microseconds.
static int features(void)
{
    static atomic_int known;
    int features = atomic_load_explicit(&known, memory_order_relaxed);
    if (features == 0) {
        features = look();
        atomic_store_explicit(&known, features, memory_order_relaxed);
    }
    return features;
}

bool cpbkdf2_is_available(enum cpbkdf2_path path)
{
    switch (path) {
    case cpbkdf2_sha: return features() & HAS_SHA;
    case cpbkdf2_avx512: return features() & HAS_AVX512;
    default: return true;
    }
}

#else

bool cpbkdf2_is_available(enum cpbkdf2_path path)
{
    return path == cpbkdf2_automatic || path == cpbkdf2_portable;
}

#endif

bool cpbkdf2_is_optimized(void)
{
#if defined(__OPTIMIZE__)
    return true;
#else
    return false;
#endif
}
