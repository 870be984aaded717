// ARM's instructions over words: the operations of the Arm Architecture Reference Manual for
// A-profile, section "A64 Advanced SIMD and Floating-point Instructions", under each instruction's
// name. Element 0 is the lowest. `emulated.c` compares them with QEMU.
#pragma once
#include "words.h"

#define uint32x4_t Vector<4>

// DUP, LD1, UMOV, INS
inline Vector<4> vdupq_n_u32(unsigned value) { return value; }
inline Vector<4> vld1q_u32(const Word words[4]) { return {words[0], words[1], words[2], words[3]}; }
inline Word vgetq_lane_u32(const Vector<4> &vector, int index) { return vector.lanes[index]; }
inline Vector<4> vsetq_lane_u32(Word word, Vector<4> vector, int index)
{
    vector.lanes[index] = word;
    return vector;
}

// ADD, EOR, SHL
inline Vector<4> vaddq_u32(const Vector<4> &a, const Vector<4> &b) { return a + b; }
inline Vector<4> veorq_u32(const Vector<4> &a, const Vector<4> &b) { return a ^ b; }
inline Vector<4> vshlq_n_u32(const Vector<4> &a, int count) { return a << count; }

// SRI: the highest bits of the first operand stay.
inline Vector<4> vsriq_n_u32(const Vector<4> &a, const Vector<4> &b, int count)
{
    return (a & Vector<4>(~(~0u >> count))) | b >> count;
}

// SHA1C, SHA1P, SHA1M: four rounds with one function, over <Y:X>, which are e and d to a.
template <typename Function>
inline Vector<4> hashUpdate(Vector<4> X, Word Y, const Vector<4> &W, Function function)
{
    for (int e = 0; e < 4; e++) {
        const Word t = function(X.lanes[1], X.lanes[2], X.lanes[3]);
        Y = Y + rotated(X.lanes[0], 5) + t + W.lanes[e];
        X.lanes[1] = rotated(X.lanes[1], 30);
        // <Y:X> = ROL(<Y:X>, 32)
        const Word highest = X.lanes[3];
        X = {Y, X.lanes[0], X.lanes[1], X.lanes[2]};
        Y = highest;
    }
    return X;
}
inline Vector<4> vsha1cq_u32(const Vector<4> &X, Word Y, const Vector<4> &W)
{
    // SHAchoose
    return hashUpdate(X, Y, W, [](Word x, Word y, Word z) { return ((y ^ z) & x) ^ z; });
}
inline Vector<4> vsha1pq_u32(const Vector<4> &X, Word Y, const Vector<4> &W)
{
    // SHAparity
    return hashUpdate(X, Y, W, [](Word x, Word y, Word z) { return x ^ y ^ z; });
}
inline Vector<4> vsha1mq_u32(const Vector<4> &X, Word Y, const Vector<4> &W)
{
    // SHAmajority
    return hashUpdate(X, Y, W, [](Word x, Word y, Word z) { return (x & y) | ((x | y) & z); });
}

// SHA1SU0: the first part of the schedule.
inline Vector<4> vsha1su0q_u32(const Vector<4> &d, const Vector<4> &n, const Vector<4> &m)
{
    return Vector<4>{d.lanes[2], d.lanes[3], n.lanes[0], n.lanes[1]} ^ d ^ m;
}

// SHA1SU1: the last part of the schedule.
inline Vector<4> vsha1su1q_u32(const Vector<4> &d, const Vector<4> &n)
{
    const Vector<4> T = d ^ Vector<4>{n.lanes[1], n.lanes[2], n.lanes[3], 0};
    return {
        rotated(T.lanes[0], 1), rotated(T.lanes[1], 1), rotated(T.lanes[2], 1),
        rotated(T.lanes[3], 1) ^ rotated(T.lanes[0], 2)};
}
