// What the standards say, over words that may be inputs, in their own terms and nobody's code.
#pragma once
#include "words.h"

using Bytes = std::vector<Byte>;

struct Digest {
    Word h[5];
    bool isSame(const Digest &other) const
    {
        return std::equal(h, h + 5, other.h, [](Word a, Word b) { return a.isSame(b); });
    }
};

// FIPS 180-4, section 4.1.1: the function of round t.
inline Word sha1Function(int t, Word x, Word y, Word z)
{
    if (t < 20)
        return (x & y) ^ (~x & z);
    if (t >= 40 && t < 60)
        return (x & y) ^ (x & z) ^ (y & z);
    return x ^ y ^ z;
}

// Section 4.2.1: the constant of round t.
inline Word sha1Constant(int t)
{
    static const unsigned constants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    return constants[t / 20];
}

// Section 6.1.2: the hash computation for one block.
inline Digest sha1Block(const Digest &H, const Word M[16])
{
    Word W[80];
    for (int t = 0; t < 80; t++)
        W[t] = t < 16 ? M[t] : rotated(W[t - 3] ^ W[t - 8] ^ W[t - 14] ^ W[t - 16], 1);
    Word a = H.h[0], b = H.h[1], c = H.h[2], d = H.h[3], e = H.h[4];
    for (int t = 0; t < 80; t++) {
        const Word f = sha1Function(t, b, c, d);
        const Word T = rotated(a, 5) + f + e + sha1Constant(t) + W[t];
        e = d;
        d = c;
        c = rotated(b, 30);
        b = a;
        a = T;
    }
    return {{H.h[0] + a, H.h[1] + b, H.h[2] + c, H.h[3] + d, H.h[4] + e}};
}

// Section 5.2.1: the words of a block.
inline Digest sha1Blocks(Digest H, const Bytes &bytes)
{
    for (size_t start = 0; start < bytes.size(); start += 64) {
        Word M[16];
        for (size_t t = 0; t < 16; t++) {
            M[t] = 0;
            for (size_t i = 0; i < 4; i++)
                M[t] = M[t] | Word(bytes[start + 4 * t + i]) << int(24 - 8 * i);
        }
        H = sha1Block(H, M);
    }
    return H;
}

// Section 5.3.1.
inline Digest initialHash()
{
    return {{0x67452301, 0xefcdab89u, 0x98badcfeu, 0x10325476, 0xc3d2e1f0u}};
}

// Section 5.1.1: the message with its padding.
inline Bytes padded(Bytes message, size_t bytesBefore)
{
    const uint64_t bits = 8 * uint64_t(bytesBefore + message.size());
    message.push_back(0x80);
    while ((bytesBefore + message.size()) % 64 != 56)
        message.push_back(0);
    for (int shift = 56; shift >= 0; shift -= 8)
        message.push_back(int(bits >> shift & 0xFF));
    return message;
}

inline Bytes bytesOf(const Digest &digest)
{
    Bytes bytes;
    for (const Word word : digest.h)
        for (int shift = 24; shift >= 0; shift -= 8)
            bytes.push_back(word >> shift);
    return bytes;
}

// RFC 2104, section 2: the states of SHA-1 after the key of 64 bytes, exclusive or ipad and opad.
struct KeyedHashes {
    Digest inner, outer;
};

inline KeyedHashes keyed(Bytes K)
{
    if (K.size() > 64)
        K = bytesOf(sha1Blocks(initialHash(), padded(K, 0)));
    K.resize(64, Byte(0));
    Bytes inner, outer;
    for (const Byte byte : K) {
        inner.push_back(byte ^ 0x36);
        outer.push_back(byte ^ 0x5C);
    }
    return {sha1Blocks(initialHash(), inner), sha1Blocks(initialHash(), outer)};
}

inline Digest hmac(const KeyedHashes &key, const Bytes &text)
{
    const Digest inner = sha1Blocks(key.inner, padded(text, 64));
    return sha1Blocks(key.outer, padded(bytesOf(inner), 64));
}

// RFC 8018, section 5.2: U_1 of block i is the HMAC of the salt and INT(i).
inline Bytes withBlockNumber(Bytes salt, const Word &i)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        salt.push_back(i >> shift);
    return salt;
}

// Inputs: the check is for all values of these.
inline Bytes anyBytes(size_t count)
{
    // Four bytes are one word, whose form is shorter than that of four.
    Bytes bytes;
    Word word = 0;
    while (bytes.size() < count) {
        if (bytes.size() % 4 == 0)
            word = Word::input();
        bytes.push_back(word >> 24);
        word = word << 8;
    }
    return bytes;
}

inline Digest anyDigest()
{
    Digest digest;
    for (Word &word : digest.h)
        word = Word::input();
    return digest;
}
