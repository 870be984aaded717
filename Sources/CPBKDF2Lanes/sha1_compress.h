// SHA-1's compression of one block (FIPS 180-4, section 6.1.2) over words of the type SHA1_WORD: a
// number, or a vector of one number a lane. Unrolled, so that what is known of a block when this is
// compiled costs nothing.

#define ROTATE(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define CHOOSE(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define PARITY(x, y, z) ((x) ^ (y) ^ (z))
#define MAJORITY(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))

#define ROUNDS(first, function, constant)                                                          \
    _Pragma("clang loop unroll(full)")                                                             \
    for (int t = (first); t < (first) + 20; t++)                                                   \
    {                                                                                              \
        if (t >= 16)                                                                               \
            w[t & 15] =                                                                            \
                ROTATE(w[(t + 13) & 15] ^ w[(t + 8) & 15] ^ w[(t + 2) & 15] ^ w[t & 15], 1);       \
        const SHA1_WORD next =                                                                     \
            ROTATE(a, 5) + function(b, c, d) + (e + w[t & 15] + (uint32_t)(constant));             \
        e = d;                                                                                     \
        d = c;                                                                                     \
        c = ROTATE(b, 30);                                                                         \
        b = a;                                                                                     \
        a = next;                                                                                  \
    }

// Adds the block `w`, which becomes unusable, to `state`.
static inline __attribute__((always_inline))
void sha1_compress(SHA1_WORD state[5], SHA1_WORD w[16])
{
    SHA1_WORD a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    ROUNDS(0, CHOOSE, 0x5A827999)
    ROUNDS(20, PARITY, 0x6ED9EBA1)
    ROUNDS(40, MAJORITY, 0x8F1BBCDC)
    ROUNDS(60, PARITY, 0xCA62C1D6)
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}
