// The instructions of which this directory has models, as this processor computes them.
#include <cpuid.h>
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

bool processor_has_sha(void)
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

__attribute__((target("sha,sse4.1"))) void processor_computes(
    int instruction, const uint32_t a[4], const uint32_t b[4], uint32_t result[4])
{
    const __m128i x = _mm_loadu_si128((const __m128i *)a), y = _mm_loadu_si128((const __m128i *)b);
    __m128i z = _mm_setzero_si128();
    switch (instruction) {
    case 0: z = _mm_sha1nexte_epu32(x, y); break;
    case 1: z = _mm_sha1msg1_epu32(x, y); break;
    case 2: z = _mm_sha1msg2_epu32(x, y); break;
    case 3: z = _mm_sha1rnds4_epu32(x, y, 0); break;
    case 4: z = _mm_sha1rnds4_epu32(x, y, 1); break;
    case 5: z = _mm_sha1rnds4_epu32(x, y, 2); break;
    case 6: z = _mm_sha1rnds4_epu32(x, y, 3); break;
    case 7: z = _mm_xor_si128(x, y); break;
    case 8: z = _mm_or_si128(x, y); break;
    case 9: z = _mm_add_epi32(x, y); break;
    case 10: z = _mm_set_epi32(0, 0, 0, _mm_extract_epi32(x, 0)); break;
    case 11: z = _mm_set_epi32(0, 0, 0, _mm_extract_epi32(x, 1)); break;
    case 12: z = _mm_set_epi32(0, 0, 0, _mm_extract_epi32(x, 2)); break;
    case 13: z = _mm_set_epi32(0, 0, 0, _mm_extract_epi32(x, 3)); break;
    case 14: z = _mm_set_epi32((int)a[0], (int)a[1], (int)a[2], (int)a[3]); break;
    }
    _mm_storeu_si128((__m128i *)result, z);
}
