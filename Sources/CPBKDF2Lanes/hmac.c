// The part of HMAC-SHA1 (RFC 2104) that runs once for a password or a chain, not in every
// iteration.
#include "lanes.h"
#include <string.h>

#define SHA1_WORD uint32_t
#include "sha1_compress.h"

#define BLOCK_BYTES 64
#define DIGEST_BYTES 20

struct hash {
    uint32_t state[5];
    uint64_t count;
    uint8_t block[BLOCK_BYTES];
};

static const struct hash new_hash = {
    .state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0}};

static void add_byte(struct hash *hash, uint8_t byte)
{
    hash->block[hash->count++ % BLOCK_BYTES] = byte;
    if (hash->count % BLOCK_BYTES != 0)
        return;
    uint32_t words[16] = {0};
    for (int i = 0; i < BLOCK_BYTES; i++)
        words[i / 4] = words[i / 4] << 8 | hash->block[i];
    sha1_compress(hash->state, words);
    cpbkdf2_cleanse(words, sizeof words);
}

// Adds the lowest `count` bytes of a number, the highest of them first.
static void add_number(struct hash *hash, uint64_t number, int count)
{
    while (count-- > 0)
        add_byte(hash, (uint8_t)(number >> 8 * count));
}

// Adds the padding. The digest is the state then.
static void finish(struct hash *hash)
{
    const uint64_t bits = hash->count * 8;
    add_byte(hash, 0x80);
    while (hash->count % BLOCK_BYTES != BLOCK_BYTES - 8)
        add_byte(hash, 0);
    add_number(hash, bits, 8);
}

CLEANSES_REGISTERS
void cpbkdf2_key(struct keyed_states *states, const uint8_t *password, size_t password_bytes)
{
    struct hash key = new_hash, inner = new_hash, outer = new_hash;
    if (password_bytes > BLOCK_BYTES) {
        for (size_t i = 0; i < password_bytes; i++)
            add_byte(&key, password[i]);
        finish(&key);
        for (int i = 0; i < DIGEST_BYTES; i++)
            key.block[i] = (uint8_t)(key.state[i / 4] >> (24 - 8 * (i % 4)));
        password = key.block;
        password_bytes = DIGEST_BYTES;
    }
    for (size_t i = 0; i < BLOCK_BYTES; i++) {
        const uint8_t byte = i < password_bytes ? password[i] : 0;
        add_byte(&inner, byte ^ 0x36);
        add_byte(&outer, byte ^ 0x5C);
    }
    memcpy(states->inner, inner.state, sizeof states->inner);
    memcpy(states->outer, outer.state, sizeof states->outer);
    cpbkdf2_cleanse(&key, sizeof key);
    cpbkdf2_cleanse(&inner, sizeof inner);
    cpbkdf2_cleanse(&outer, sizeof outer);
}

CLEANSES_REGISTERS void cpbkdf2_first(
    uint32_t digest[5], const struct keyed_states *states, const uint8_t *salt,
    size_t salt_bytes, uint32_t block)
{
    struct hash inner = {.count = BLOCK_BYTES}, outer = {.count = BLOCK_BYTES};
    memcpy(inner.state, states->inner, sizeof states->inner);
    memcpy(outer.state, states->outer, sizeof states->outer);
    for (size_t i = 0; i < salt_bytes; i++)
        add_byte(&inner, salt[i]);
    add_number(&inner, block, 4);
    finish(&inner);
    for (int i = 0; i < 5; i++)
        add_number(&outer, inner.state[i], 4);
    finish(&outer);
    memcpy(digest, outer.state, 5 * sizeof *digest);
    cpbkdf2_cleanse(&inner, sizeof inner);
    cpbkdf2_cleanse(&outer, sizeof outer);
}
