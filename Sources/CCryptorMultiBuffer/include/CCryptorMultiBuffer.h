// AES-256-CBC and HMAC-SHA256 of many messages side by side, with libipsec-mb. Without the package's trait MultiBuffer,
// nothing is declared here.
#ifndef CCRYPTORMULTIBUFFER_H
#define CCRYPTORMULTIBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef CRYPTORFORMAT_MULTIBUFFER

// The most bytes of a message, and the most messages at a time.
#define CCRYPTOR_MULTIBUFFER_BYTES 65472
#define CCRYPTOR_MULTIBUFFER_MESSAGES 256

// A context under one pair of keys. Only one thread at a time may use it.
struct ccryptor_multibuffer;

// Each key has 32 bytes. Returns NULL if the processor or the library cannot do it, or if there is no memory.
struct ccryptor_multibuffer *ccryptor_multibuffer_new(const uint8_t *encryption_key, const uint8_t *hmac_key);

// Overwrites the keys and everything else in the context, and frees it.
void ccryptor_multibuffer_free(struct ccryptor_multibuffer *context);

// A message to encrypt in place.
struct ccryptor_multibuffer_encryption {
    // The header, which ends with the 16 bytes of the IV; the padded plaintext; and room for the tag of 32 bytes.
    uint8_t *message;
    size_t header_bytes;
    // The length of the padded plaintext: whole blocks.
    size_t ciphertext_bytes;
};

// Encrypts each message, then authenticates everything before its tag. Returns false if anything went wrong: then no
// message may be used.
bool ccryptor_multibuffer_encrypt(
    struct ccryptor_multibuffer *context, const struct ccryptor_multibuffer_encryption *messages, size_t count);

struct ccryptor_multibuffer_authentication {
    const uint8_t *bytes;
    size_t count;
    // Receives 32 bytes.
    uint8_t *tag;
};

// Computes the tags. Returns false if anything went wrong: then no tag may be used.
bool ccryptor_multibuffer_authenticate(
    struct ccryptor_multibuffer *context, const struct ccryptor_multibuffer_authentication *messages, size_t count);

struct ccryptor_multibuffer_decryption {
    const uint8_t *iv;
    const uint8_t *ciphertext;
    // Whole blocks.
    size_t ciphertext_bytes;
    // Receives as many bytes, including the padding.
    uint8_t *plaintext;
};

// Decrypts messages that have been found authentic. Returns false if anything went wrong.
bool ccryptor_multibuffer_decrypt(
    struct ccryptor_multibuffer *context, const struct ccryptor_multibuffer_decryption *messages, size_t count);

#endif

#endif
