// The part of HMAC-SHA1 (RFC 2104) that runs once for a password or a chain, not in every iteration.
#include "lanes.h"

#define SHA1_WORD uint32_t
#include "sha1_compress.h"

#define BLOCK_BYTES 64
#define DIGEST_BYTES 20

static const uint32_t initial_state[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};

static void add_block(uint32_t state[5], const uint8_t block[BLOCK_BYTES])
{
    uint32_t words[16];
    for (int i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16
            | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    sha1_compress(state, words);
    cpbkdf2_cleanse(words, sizeof words);
}

// The number's bytes, highest first.
static void write_number(uint8_t *bytes, uint64_t number, int count)
{
    for (int i = 0; i < count; i++)
        bytes[i] = (uint8_t)(number >> 8 * (count - 1 - i));
}

// Ends a hash that has taken `seen` bytes, in whole blocks: adds `bytes`, `more` (at most four bytes) and the padding.
static void finish(
    uint32_t state[5], uint64_t seen, const uint8_t *bytes, size_t count, const uint8_t *more, size_t more_count)
{
    const uint64_t bits = (seen + count + more_count) * 8;
    for (; count >= BLOCK_BYTES; bytes += BLOCK_BYTES, count -= BLOCK_BYTES)
        add_block(state, bytes);

    uint8_t rest[2 * BLOCK_BYTES] = {0};
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        rest[used++] = bytes[i];
    for (size_t i = 0; i < more_count; i++)
        rest[used++] = more[i];
    rest[used++] = 0x80;
    const size_t end = used + 8 <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES;
    write_number(rest + end - 8, bits, 8);
    for (size_t offset = 0; offset < end; offset += BLOCK_BYTES)
        add_block(state, rest + offset);
    cpbkdf2_cleanse(rest, sizeof rest);
}

static void start(uint32_t state[5], const uint8_t key[BLOCK_BYTES], uint8_t pad)
{
    uint8_t block[BLOCK_BYTES];
    for (int i = 0; i < BLOCK_BYTES; i++)
        block[i] = key[i] ^ pad;
    for (int i = 0; i < 5; i++)
        state[i] = initial_state[i];
    add_block(state, block);
    cpbkdf2_cleanse(block, sizeof block);
}

static void write_digest(uint8_t bytes[DIGEST_BYTES], const uint32_t state[5])
{
    for (int i = 0; i < 5; i++)
        write_number(bytes + 4 * i, state[i], 4);
}

CLEANSES_REGISTERS void cpbkdf2_key(struct keyed_states *states, const uint8_t *password, size_t password_bytes)
{
    uint8_t key[BLOCK_BYTES] = {0};
    if (password_bytes > BLOCK_BYTES) {
        uint32_t state[5];
        for (int i = 0; i < 5; i++)
            state[i] = initial_state[i];
        finish(state, 0, password, password_bytes, NULL, 0);
        write_digest(key, state);
        cpbkdf2_cleanse(state, sizeof state);
    } else {
        for (size_t i = 0; i < password_bytes; i++)
            key[i] = password[i];
    }
    start(states->inner, key, 0x36);
    start(states->outer, key, 0x5C);
    cpbkdf2_cleanse(key, sizeof key);
}

CLEANSES_REGISTERS void cpbkdf2_first(
    uint32_t digest[5], const struct keyed_states *states, const uint8_t *salt, size_t salt_bytes, uint32_t block)
{
    uint32_t state[5];
    uint8_t inner[DIGEST_BYTES], number[4];
    for (int i = 0; i < 5; i++) {
        state[i] = states->inner[i];
        digest[i] = states->outer[i];
    }
    write_number(number, block, 4);
    finish(state, BLOCK_BYTES, salt, salt_bytes, number, sizeof number);
    write_digest(inner, state);
    finish(digest, BLOCK_BYTES, inner, DIGEST_BYTES, NULL, 0);
    cpbkdf2_cleanse(state, sizeof state);
    cpbkdf2_cleanse(inner, sizeof inner);
}
