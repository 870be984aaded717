// The chains over x86's SHA instructions. Four rounds take six cycles or so from their input to
// their output, and the processor can begin four others every other cycle, so the chains are
// interleaved.
#if defined(__x86_64__)

#include "lanes.h"
#include <immintrin.h>

#define WITH_SHA __attribute__((target("sha,sse4.1")))
#define INLINE static inline __attribute__((always_inline)) WITH_SHA

// `lanes` is a constant wherever the functions below are inlined.
#define EACH_LANE _Pragma("clang loop unroll(full)") for (int i = 0; i < lanes; i++)

#define LARGEST 4

// The highest 32 bits of `abcd` are a, those of `e` are e. The next 32 bits of `e` may hold the one
// bit after a digest.
struct state {
    __m128i abcd[LARGEST];
    __m128i e[LARGEST];
};

// Four rounds, with a word of `message` for each. Their e is the a of four rounds before, which
// sha1nexte rotates.
#define FOUR_ROUNDS(function, message)                                              \
    EACH_LANE                                                                       \
    {                                                                               \
        const __m128i addend = _mm_sha1nexte_epu32(before[i], message);             \
        before[i] = abcd[i];                                                        \
        abcd[i] = _mm_sha1rnds4_epu32(abcd[i], addend, function);                   \
    }

// Four rounds with the next four words of the schedule, which replace those of sixteen words
// before.
#define FOUR_SCHEDULED(function, w0, w1, w2, w3)                                               \
    EACH_LANE w0[i] = _mm_sha1msg2_epu32(                                                      \
        _mm_xor_si128(_mm_sha1msg1_epu32(w0[i], w1[i]), w2[i]), w3[i]);                        \
    FOUR_ROUNDS(function, w0[i])

// Replaces each digest by the SHA-1 of the 64 bytes that led to `start` and of the 20 bytes of the
// digest. The block consists of the digest, a one bit, zeros, and the length in bits. `digest->e`
// contains the one bit already.
INLINE void compress_digest(int lanes, struct state *digest, const struct state *start)
{
    const __m128i one = _mm_set_epi32(0, (int)0x80000000, 0, 0);
    const __m128i zero = _mm_setzero_si128();
    const __m128i length = _mm_set_epi32(0, 0, 0, 84 * 8);
    __m128i abcd[LARGEST], before[LARGEST], w0[LARGEST], w1[LARGEST], w2[LARGEST], w3[LARGEST];

    EACH_LANE
    {
        w0[i] = digest->abcd[i];
        w1[i] = digest->e[i];
        before[i] = start->abcd[i];
        abcd[i] = _mm_sha1rnds4_epu32(before[i], _mm_add_epi32(start->e[i], w0[i]), 0);
    }
    FOUR_ROUNDS(0, w1[i])
    FOUR_ROUNDS(0, zero)
    FOUR_ROUNDS(0, length)
    // The schedule's first words, without the operations in which zeros change nothing.
    EACH_LANE w0[i] = _mm_sha1msg2_epu32(_mm_sha1msg1_epu32(w0[i], w1[i]), length);
    FOUR_ROUNDS(0, w0[i])
    EACH_LANE w1[i] = _mm_sha1msg2_epu32(
        _mm_xor_si128(_mm_sha1msg1_epu32(w1[i], zero), length), w0[i]);
    FOUR_ROUNDS(1, w1[i])
    EACH_LANE w2[i] = _mm_sha1msg2_epu32(w0[i], w1[i]);
    FOUR_ROUNDS(1, w2[i])
    EACH_LANE w3[i] = length;
    FOUR_SCHEDULED(1, w3, w0, w1, w2)
    FOUR_SCHEDULED(1, w0, w1, w2, w3)
    FOUR_SCHEDULED(1, w1, w2, w3, w0)
    FOUR_SCHEDULED(2, w2, w3, w0, w1)
    FOUR_SCHEDULED(2, w3, w0, w1, w2)
    FOUR_SCHEDULED(2, w0, w1, w2, w3)
    FOUR_SCHEDULED(2, w1, w2, w3, w0)
    FOUR_SCHEDULED(2, w2, w3, w0, w1)
    FOUR_SCHEDULED(3, w3, w0, w1, w2)
    FOUR_SCHEDULED(3, w0, w1, w2, w3)
    FOUR_SCHEDULED(3, w1, w2, w3, w0)
    FOUR_SCHEDULED(3, w2, w3, w0, w1)
    FOUR_SCHEDULED(3, w3, w0, w1, w2)
    EACH_LANE
    {
        digest->abcd[i] = _mm_add_epi32(start->abcd[i], abcd[i]);
        digest->e[i] = _mm_sha1nexte_epu32(before[i], _mm_or_si128(start->e[i], one));
    }
}

INLINE void load(int lanes, struct state *state, const uint32_t words[5][MAXIMUM_LANES])
{
    EACH_LANE
    {
        state->abcd[i] = _mm_set_epi32(words[0][i], words[1][i], words[2][i], words[3][i]);
        state->e[i] = _mm_set_epi32(words[4][i], 0, 0, 0);
    }
}

INLINE void iterate(int lanes, struct lanes *all, uint32_t steps)
{
    struct state inner, outer, last;
    load(lanes, &inner, all->inner);
    load(lanes, &outer, all->outer);
    load(lanes, &last, all->last);
    struct state sum = last;
    EACH_LANE last.e[i] = _mm_or_si128(last.e[i], _mm_set_epi32(0, (int)0x80000000, 0, 0));
    while (steps-- > 0) {
        compress_digest(lanes, &last, &inner);
        compress_digest(lanes, &last, &outer);
        EACH_LANE
        {
            sum.abcd[i] = _mm_xor_si128(sum.abcd[i], last.abcd[i]);
            sum.e[i] = _mm_xor_si128(sum.e[i], last.e[i]);
        }
    }
    EACH_LANE
    {
        all->sum[0][i] = (uint32_t)_mm_extract_epi32(sum.abcd[i], 3);
        all->sum[1][i] = (uint32_t)_mm_extract_epi32(sum.abcd[i], 2);
        all->sum[2][i] = (uint32_t)_mm_extract_epi32(sum.abcd[i], 1);
        all->sum[3][i] = (uint32_t)_mm_extract_epi32(sum.abcd[i], 0);
        all->sum[4][i] = (uint32_t)_mm_extract_epi32(sum.e[i], 3);
    }
}

WITH_SHA CLEANSES_REGISTERS void cpbkdf2_iterate_2_sha(struct lanes *lanes, uint32_t steps)
{
    iterate(2, lanes, steps);
}

WITH_SHA CLEANSES_REGISTERS void cpbkdf2_iterate_4_sha(struct lanes *lanes, uint32_t steps)
{
    iterate(4, lanes, steps);
}

#endif
