// The chains in the compiler's vectors: there are LANES chains, and a vector has one 32-bit word of
// each.

#include "lanes.h"
#include <string.h>

typedef uint32_t word __attribute__((vector_size(4 * LANES)));

#define SHA1_WORD word
#include "sha1_compress.h"

// Replaces `digest` by the SHA-1 of the block of key that led to `start` and of the digest, 84
// bytes together.
static inline __attribute__((always_inline))
void compress_digest(word digest[5], const word start[5])
{
    word block[16] = {
        digest[0], digest[1], digest[2], digest[3], digest[4], (word){} + 0x80000000u};
    block[15] = (word){} + 84 * 8;
    for (int i = 0; i < 5; i++)
        digest[i] = start[i];
    sha1_compress(digest, block);
}

static inline __attribute__((always_inline))
void iterate(struct lanes *lanes, uint32_t steps)
{
    word inner[5], outer[5], last[5], sum[5];
    for (int i = 0; i < 5; i++) {
        memcpy(&inner[i], lanes->inner[i], sizeof(word));
        memcpy(&outer[i], lanes->outer[i], sizeof(word));
        memcpy(&last[i], lanes->last[i], sizeof(word));
        sum[i] = last[i];
    }
    while (steps-- > 0) {
        compress_digest(last, inner);
        compress_digest(last, outer);
        for (int i = 0; i < 5; i++)
            sum[i] ^= last[i];
    }
    for (int i = 0; i < 5; i++)
        memcpy(lanes->sum[i], &sum[i], sizeof(word));
}
