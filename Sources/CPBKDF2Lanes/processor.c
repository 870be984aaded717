// Which instructions this processor has.
#include "CPBKDF2Lanes.h"
#include <stdatomic.h>

enum { KNOWN = 1, HAS_SHA = 2, HAS_AVX512 = 4, HAS_ARM = 8 };

#if defined(__x86_64__)

#include <cpuid.h>

static int look(void)
{
    unsigned eax, ebx, ecx, edx, features_1, features_7, kept = 0, high;
    if (!__get_cpuid(1, &eax, &ebx, &features_1, &edx)
        || !__get_cpuid_count(7, 0, &eax, &features_7, &ecx, &edx))
        return KNOWN;
    if (features_1 & bit_OSXSAVE)
        __asm__("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
    const bool sha = (features_1 & bit_SSE4_1) && (features_7 & bit_SHA);
    // These bits of XCR0 say that the system keeps the registers of SSE, AVX and AVX-512.
    const bool avx512 = (features_7 & bit_AVX512F) && (kept & 0xE6) == 0xE6;
    return KNOWN | (sha ? HAS_SHA : 0) | (avx512 ? HAS_AVX512 : 0);
}

#elif defined(__aarch64__) && defined(__APPLE__)

// Apple's compilers take it for granted that each of its processors has the instructions: they
// define __ARM_FEATURE_SHA2, which stands for those of SHA-1 and SHA-256.
static int look(void) { return KNOWN | HAS_ARM; }

#elif defined(__aarch64__) && defined(__linux__)

#include <sys/auxv.h>

static int look(void)
{
    // Linux calls this bit HWCAP_SHA1. Not every C library names it in this header.
    return KNOWN | (getauxval(AT_HWCAP) & 1 << 5 ? HAS_ARM : 0);
}

#else

static int look(void) { return KNOWN; }

#endif

bool cpbkdf2_is_available(enum cpbkdf2_path path)
{
    // Looked up once: under a hypervisor, CPUID takes tens of microseconds.
    static atomic_int known;
    int features = atomic_load_explicit(&known, memory_order_relaxed);
    if (features == 0)
        atomic_store_explicit(&known, features = look(), memory_order_relaxed);
    return path == cpbkdf2_sha ? features & HAS_SHA
        : path == cpbkdf2_avx512 ? features & HAS_AVX512
        : path == cpbkdf2_arm ? features & HAS_ARM
        : true;
}

#if defined(__OPTIMIZE__)
const bool cpbkdf2_is_optimized = true;
#else
const bool cpbkdf2_is_optimized = false;
#endif
