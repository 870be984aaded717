// PBKDF2-HMAC-SHA1 (RFC 8018, section 5.2) for keys of 32 bytes, many chains side by side.
//
// A key of 32 bytes takes two blocks of 20, which do not depend on each other: two chains of HMACs.
// A message has two keys, so four chains. Each step of a chain waits for the last one, so a single
// chain leaves most of a processor idle.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPBKDF2_KEY_BYTES 32

enum cpbkdf2_path {
    // The fastest of the others for the number of keys.
    cpbkdf2_automatic,
    // The compiler's vectors of four words, which any processor can run.
    cpbkdf2_portable,
    // x86's SHA instructions, two or four chains at a time.
    cpbkdf2_sha,
    // AVX-512, thirty-two chains at a time.
    cpbkdf2_avx512,
    // 64-bit ARM's SHA-1 instructions, two or four chains at a time.
    cpbkdf2_arm,
};

struct cpbkdf2_request {
    // May be null if there are no bytes. Requests in a row with the same pointer share the work for
    // the password.
    const uint8_t *password;
    size_t password_bytes;
    const uint8_t *salt;
    size_t salt_bytes;
    // Receives CPBKDF2_KEY_BYTES bytes.
    uint8_t *key;
};

// Whether this processor and its system can run a path.
bool cpbkdf2_is_available(enum cpbkdf2_path path);

// Whether this was compiled with optimisation. Without it, OpenSSL is faster.
extern const bool cpbkdf2_is_optimized;

// Fills the keys of all requests. A path that is not available is replaced by the portable one.
// `iterations` must be at least 1. No branch and no address depends on bytes of a password.
// Intermediate results are overwritten.
void cpbkdf2_derive(
    enum cpbkdf2_path path, const struct cpbkdf2_request *requests, size_t count,
    uint32_t iterations);
