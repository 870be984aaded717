// The hash states that HMAC keeps instead of its key. They suffice to make codes, so they are as
// secret as the key.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "CCryptorProbe.h"

#include <openssl/sha.h>

void probe_sha256_state(const uint8_t block[64], uint32_t state[8])
{
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Transform(&context, block);
    for (int i = 0; i < 8; i++)
        state[i] = context.h[i];
}

void probe_sha1_state(const uint8_t block[64], uint32_t state[5])
{
    SHA_CTX context;
    SHA1_Init(&context);
    SHA1_Transform(&context, block);
    state[0] = context.h0;
    state[1] = context.h1;
    state[2] = context.h2;
    state[3] = context.h3;
    state[4] = context.h4;
}
