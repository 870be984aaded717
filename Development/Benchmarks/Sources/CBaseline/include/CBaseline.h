// What a C program that calls OpenSSL directly gets: the limits that the library is measured
// against. Contexts are set up once and used again, nothing is allocated on the way, and no byte is
// touched that does not have to be.
#ifndef CBASELINE_H
#define CBASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BASELINE_KEY_BYTES = 32,
    // Version, options and IV of a message of version 3 with keys.
    BASELINE_HEADER_BYTES = 18,
    // With a password there are two salts as well.
    BASELINE_PASSWORD_HEADER_BYTES = 34,
    BASELINE_CODE_BYTES = 32,
    BASELINE_BLOCK_BYTES = 16,
};

// Contexts under one pair of keys, for one thread.
struct baseline;

struct baseline *baseline_new(const uint8_t *encryption_key, const uint8_t *hmac_key);
void baseline_free(struct baseline *baseline);

// All of the following return false if OpenSSL failed or a message is not authentic. No count
// exceeds 2^30.

// MARK: A primitive alone

// AES-256-CBC over whole blocks in one call; the output has `count` bytes.
bool baseline_cbc_encrypt(
    struct baseline *baseline, const uint8_t *input, size_t count, uint8_t *output);
// SHA-256 in one call.
bool baseline_sha256(struct baseline *baseline, const uint8_t *input, size_t count);
// Two keys of 32 bytes by two calls of PKCS5_PBKDF2_HMAC with 10,000 iterations.
bool baseline_derive_keys(const char *password, const uint8_t salts[16], uint8_t keys[64]);

// MARK: A message of version 3 with keys

size_t baseline_message_bytes(size_t plaintext_bytes);

// The calls in the order in which a C program makes them for a message in one piece of memory. A
// message with a password is decrypted, too, if the keys are those that the password gives.
bool baseline_encrypt(
    struct baseline *baseline, const uint8_t *plaintext, size_t count, uint8_t *message);
bool baseline_decrypt(
    struct baseline *baseline, const uint8_t *message, size_t count, uint8_t *plaintext,
    size_t *plaintext_count);

// MARK: Lines (lines.c)

// How the plaintext of a line is written. Hexadecimal digits follow `\\x`.
enum baseline_text { BASELINE_TEXT, BASELINE_BASE64, BASELINE_HEX };

// One message per line, as base64 text, from standard input to standard output: getline(3),
// EVP_EncodeBlock(3), one thread.
bool baseline_lines(struct baseline *baseline, bool decrypts, enum baseline_text form);

#endif
