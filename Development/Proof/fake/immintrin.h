// Intel's instructions over words: the operations of the Intel 64 and IA-32 Architectures Software
// Developer's Manual, volume 2, under each instruction's name. Element 3 is the highest. `models.c`
// compares them with the processor.
#pragma once
#include "words.h"

using Vector128 = Vector<4>;
#define __m128i Vector128

inline Vector128 _mm_set_epi32(Word third, Word second, Word first, Word lowest)
{
    return {lowest, first, second, third};
}
inline Vector128 _mm_setzero_si128() { return 0; }
inline Word _mm_extract_epi32(const Vector128 &vector, int index) { return vector.lanes[index]; }

// PXOR, POR, PADDD
inline Vector128 _mm_xor_si128(const Vector128 &a, const Vector128 &b) { return a ^ b; }
inline Vector128 _mm_or_si128(const Vector128 &a, const Vector128 &b) { return a | b; }
inline Vector128 _mm_add_epi32(const Vector128 &a, const Vector128 &b) { return a + b; }

// SHA1NEXTE: the e of the next rounds, added to the highest word of the message.
inline Vector128 _mm_sha1nexte_epu32(const Vector128 &a, Vector128 b)
{
    b.lanes[3] = b.lanes[3] + rotated(a.lanes[3], 30);
    return b;
}

// SHA1MSG1: the first part of the schedule.
inline Vector128 _mm_sha1msg1_epu32(const Vector128 &a, const Vector128 &b)
{
    const Word w0 = a.lanes[3], w1 = a.lanes[2], w2 = a.lanes[1], w3 = a.lanes[0];
    const Word w4 = b.lanes[3], w5 = b.lanes[2];
    return {w5 ^ w3, w4 ^ w2, w3 ^ w1, w2 ^ w0};
}

// SHA1MSG2: the last part of the schedule.
inline Vector128 _mm_sha1msg2_epu32(const Vector128 &a, const Vector128 &b)
{
    const Word w13 = b.lanes[2], w14 = b.lanes[1], w15 = b.lanes[0];
    const Word w16 = rotated(a.lanes[3] ^ w13, 1), w17 = rotated(a.lanes[2] ^ w14, 1);
    const Word w18 = rotated(a.lanes[1] ^ w15, 1), w19 = rotated(a.lanes[0] ^ w16, 1);
    return {w19, w18, w17, w16};
}

// The function of the rounds that SHA1RNDS4 computes.
inline Word roundFunction(int function, Word b, Word c, Word d)
{
    switch (function) {
    case 0: return (b & c) ^ (~b & d);
    case 2: return (b & c) ^ (b & d) ^ (c & d);
    default: return b ^ c ^ d;
    }
}

// SHA1RNDS4: four rounds. In the first, e is a part of the message's word.
inline Vector128 _mm_sha1rnds4_epu32(const Vector128 &state, const Vector128 &message, int function)
{
    static const unsigned constants[4] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
    Word a = state.lanes[3], b = state.lanes[2], c = state.lanes[1], d = state.lanes[0], e = 0;
    for (int round = 0; round < 4; round++) {
        const Word f = roundFunction(function, b, c, d);
        const Word next =
            f + rotated(a, 5) + message.lanes[3 - round] + e + Word(constants[function]);
        e = d;
        d = c;
        c = rotated(b, 30);
        b = a;
        a = next;
    }
    return {d, c, b, a};
}
