// The chains over ARM's SHA-1 instructions. Four rounds take four cycles or so from their input to
// their output, and the processor can begin four others every cycle, so the chains are interleaved.
#include "lanes.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#define WITH_SHA __attribute__((target("sha2")))
#define INLINE static inline __attribute__((always_inline)) WITH_SHA

// `lanes` is a constant wherever the functions below are inlined.
#define EACH_LANE _Pragma("clang loop unroll(full)") for (int i = 0; i < lanes; i++)

#define LARGEST 4

// The lowest 32 bits of `abcd` are a, those of `e` are e. The next 32 bits of `e` may hold the one
// bit after a digest.
struct state {
    uint32x4_t abcd[LARGEST];
    uint32x4_t e[LARGEST];
};

// Not by SHA1H, which rotates, too: many processors have one unit for all SHA instructions, and
// another one for shifts.
INLINE uint32x4_t rotate_30(uint32x4_t words)
{
    return vsriq_n_u32(vshlq_n_u32(words, 30), words, 2);
}

// Four rounds, with a word of `message` for each. The e of the next four is the a of now, rotated.
#define FOUR_ROUNDS(function, constant, message)                                                   \
    EACH_LANE                                                                                      \
    {                                                                                              \
        const uint32x4_t addend = vaddq_u32(message, constant);                                    \
        const uint32x4_t next = rotate_30(abcd[i]);                                                \
        abcd[i] = function(abcd[i], vgetq_lane_u32(e[i], 0), addend);                              \
        e[i] = next;                                                                               \
    }

// Four rounds with the next four words of the schedule, which replace those of sixteen words
// before.
#define FOUR_SCHEDULED(function, constant, w0, w1, w2, w3)                                         \
    EACH_LANE w0[i] = vsha1su1q_u32(vsha1su0q_u32(w0[i], w1[i], w2[i]), w3[i]);                    \
    FOUR_ROUNDS(function, constant, w0[i])

// Replaces each digest by the SHA-1 of the 64 bytes that led to `start` and of the 20 bytes of the
// digest. The block consists of the digest, a one bit, zeros, and the length in bits. `digest->e`
// contains the one bit already.
INLINE void compress_digest(int lanes, struct state *digest, const struct state *start)
{
    const uint32x4_t k0 = vdupq_n_u32(0x5A827999);
    const uint32x4_t k1 = vdupq_n_u32(0x6ED9EBA1);
    const uint32x4_t k2 = vdupq_n_u32(0x8F1BBCDC);
    const uint32x4_t k3 = vdupq_n_u32(0xCA62C1D6);
    const uint32x4_t zero = vdupq_n_u32(0);
    const uint32x4_t length = vsetq_lane_u32(84 * 8, zero, 3);
    uint32x4_t abcd[LARGEST], e[LARGEST], w0[LARGEST], w1[LARGEST], w2[LARGEST], w3[LARGEST];

    EACH_LANE
    {
        w0[i] = digest->abcd[i];
        w1[i] = digest->e[i];
        abcd[i] = start->abcd[i];
        e[i] = start->e[i];
    }
    FOUR_ROUNDS(vsha1cq_u32, k0, w0[i])
    FOUR_ROUNDS(vsha1cq_u32, k0, w1[i])
    FOUR_ROUNDS(vsha1cq_u32, k0, zero)
    FOUR_ROUNDS(vsha1cq_u32, k0, length)
    // The schedule's first words, without the operations in which zeros change nothing.
    EACH_LANE w0[i] = vsha1su1q_u32(vsha1su0q_u32(w0[i], w1[i], zero), length);
    FOUR_ROUNDS(vsha1cq_u32, k0, w0[i])
    EACH_LANE w1[i] = vsha1su1q_u32(veorq_u32(w1[i], length), w0[i]);
    FOUR_ROUNDS(vsha1pq_u32, k1, w1[i])
    EACH_LANE w2[i] = vsha1su1q_u32(w0[i], w1[i]);
    FOUR_ROUNDS(vsha1pq_u32, k1, w2[i])
    EACH_LANE w3[i] = length;
    FOUR_SCHEDULED(vsha1pq_u32, k1, w3, w0, w1, w2)
    FOUR_SCHEDULED(vsha1pq_u32, k1, w0, w1, w2, w3)
    FOUR_SCHEDULED(vsha1pq_u32, k1, w1, w2, w3, w0)
    FOUR_SCHEDULED(vsha1mq_u32, k2, w2, w3, w0, w1)
    FOUR_SCHEDULED(vsha1mq_u32, k2, w3, w0, w1, w2)
    FOUR_SCHEDULED(vsha1mq_u32, k2, w0, w1, w2, w3)
    FOUR_SCHEDULED(vsha1mq_u32, k2, w1, w2, w3, w0)
    FOUR_SCHEDULED(vsha1mq_u32, k2, w2, w3, w0, w1)
    FOUR_SCHEDULED(vsha1pq_u32, k3, w3, w0, w1, w2)
    FOUR_SCHEDULED(vsha1pq_u32, k3, w0, w1, w2, w3)
    FOUR_SCHEDULED(vsha1pq_u32, k3, w1, w2, w3, w0)
    FOUR_SCHEDULED(vsha1pq_u32, k3, w2, w3, w0, w1)
    FOUR_SCHEDULED(vsha1pq_u32, k3, w3, w0, w1, w2)
    EACH_LANE
    {
        digest->abcd[i] = vaddq_u32(start->abcd[i], abcd[i]);
        // The one bit comes from `start`.
        const uint32_t addend = vgetq_lane_u32(e[i], 0);
        digest->e[i] = vaddq_u32(start->e[i], vsetq_lane_u32(addend, zero, 0));
    }
}

INLINE void load(int lanes, struct state *state, const uint32_t words[5][MAXIMUM_LANES])
{
    EACH_LANE
    {
        const uint32_t abcd[4] = {words[0][i], words[1][i], words[2][i], words[3][i]};
        const uint32_t e[4] = {words[4][i], 0x80000000, 0, 0};
        state->abcd[i] = vld1q_u32(abcd);
        state->e[i] = vld1q_u32(e);
    }
}

INLINE void iterate(int lanes, struct lanes *all, uint32_t steps)
{
    struct state inner, outer, last;
    load(lanes, &inner, all->inner);
    load(lanes, &outer, all->outer);
    load(lanes, &last, all->last);
    struct state sum = last;
    while (steps-- > 0) {
        compress_digest(lanes, &last, &inner);
        compress_digest(lanes, &last, &outer);
        EACH_LANE
        {
            sum.abcd[i] = veorq_u32(sum.abcd[i], last.abcd[i]);
            sum.e[i] = veorq_u32(sum.e[i], last.e[i]);
        }
    }
    EACH_LANE
    {
        all->sum[0][i] = vgetq_lane_u32(sum.abcd[i], 0);
        all->sum[1][i] = vgetq_lane_u32(sum.abcd[i], 1);
        all->sum[2][i] = vgetq_lane_u32(sum.abcd[i], 2);
        all->sum[3][i] = vgetq_lane_u32(sum.abcd[i], 3);
        all->sum[4][i] = vgetq_lane_u32(sum.e[i], 0);
    }
}

WITH_SHA CLEANSES_REGISTERS void cpbkdf2_iterate_2_arm(struct lanes *lanes, uint32_t steps)
{
    iterate(2, lanes, steps);
}

WITH_SHA CLEANSES_REGISTERS void cpbkdf2_iterate_4_arm(struct lanes *lanes, uint32_t steps)
{
    iterate(4, lanes, steps);
}

#endif
