// Each of ARM's instructions that chains_arm.c uses, once: over words (prove.cpp), and as an
// emulator computes it (emulated.c).

// How many there are.
#define ARM_INSTRUCTIONS 13

static void computeOnARM(
    const uint32_t a[4], const uint32_t b[4], const uint32_t c[4],
    uint32_t results[ARM_INSTRUCTIONS][4])
{
    const uint32x4_t x = vld1q_u32(a), y = vld1q_u32(b), z = vld1q_u32(c);
    const uint32_t e = vgetq_lane_u32(z, 0);
    const uint32x4_t all[ARM_INSTRUCTIONS] = {
        vsha1cq_u32(x, e, y), vsha1pq_u32(x, e, y), vsha1mq_u32(x, e, y),
        vsha1su0q_u32(x, y, z), vsha1su1q_u32(x, y),
        vaddq_u32(x, y), veorq_u32(x, y), vshlq_n_u32(x, 30), vsriq_n_u32(x, y, 2),
        vdupq_n_u32(0x5A827999), vsetq_lane_u32(e, x, 0), vsetq_lane_u32(e, x, 3), x,
    };
    for (int i = 0; i < ARM_INSTRUCTIONS; i++) {
        results[i][0] = vgetq_lane_u32(all[i], 0);
        results[i][1] = vgetq_lane_u32(all[i], 1);
        results[i][2] = vgetq_lane_u32(all[i], 2);
        results[i][3] = vgetq_lane_u32(all[i], 3);
    }
}
