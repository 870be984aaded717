// AES-256-CBC and HMAC-SHA256 of many messages side by side, by libipsec-mb. There is nothing of it without the package's trait
// MultiBuffer.
#ifndef CCRYPTORMULTIBUFFER_H
#define CCRYPTORMULTIBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef CRYPTORFORMAT_MULTIBUFFER

// The most bytes of a message, and the most messages at a time.
#define CCRYPTOR_MULTIBUFFER_BYTES 65472
#define CCRYPTOR_MULTIBUFFER_MESSAGES 256

// What one thread works with at a time, under one pair of keys.
struct ccryptor_multibuffer;

// Keys of 32 bytes each. NULL where the processor or the library cannot.
struct ccryptor_multibuffer *ccryptor_multibuffer_new(const uint8_t *encryption_key, const uint8_t *hmac_key);

// Overwrites keys and all that was worked with.
void ccryptor_multibuffer_free(struct ccryptor_multibuffer *context);

// A message that is to be made, in place.
struct ccryptor_multibuffer_encryption {
    // What comes before the ciphertext, the last 16 bytes of it the IV; the padded plaintext; room for the tag of 32 bytes.
    uint8_t *message;
    size_t header_bytes;
    // Whole blocks.
    size_t ciphertext_bytes;
};

// Encrypts, then authenticates all before the tag. False if anything went wrong: then nothing of it counts.
bool ccryptor_multibuffer_encrypt(
    struct ccryptor_multibuffer *context, const struct ccryptor_multibuffer_encryption *messages, size_t count);

struct ccryptor_multibuffer_authentication {
    const uint8_t *bytes;
    size_t count;
    // Receives 32 bytes.
    uint8_t *tag;
};

// Makes the tags. False if anything went wrong.
bool ccryptor_multibuffer_authenticate(
    struct ccryptor_multibuffer *context, const struct ccryptor_multibuffer_authentication *messages, size_t count);

struct ccryptor_multibuffer_decryption {
    const uint8_t *iv;
    const uint8_t *ciphertext;
    // Whole blocks.
    size_t ciphertext_bytes;
    // Receives as many, the padding among them.
    uint8_t *plaintext;
};

// Decrypts what has been found authentic. False if anything went wrong.
bool ccryptor_multibuffer_decrypt(
    struct ccryptor_multibuffer *context, const struct ccryptor_multibuffer_decryption *messages, size_t count);

#endif

#endif
