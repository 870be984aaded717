#include "contexts.h"

#include <string.h>

static const uint8_t iv[BASELINE_BLOCK_BYTES];

static bool cbc(EVP_CIPHER_CTX *context, const uint8_t *input, size_t count, uint8_t *output)
{
    // With padding, OpenSSL would hold back the last block.
    int written;
    const bool succeeded = EVP_CipherInit_ex(context, NULL, NULL, NULL, iv, -1) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
        && EVP_CipherUpdate(context, output, &written, input, (int)count) == 1 && (size_t)written == count;
    return EVP_CIPHER_CTX_set_padding(context, 1) == 1 && succeeded;
}

bool baseline_cbc_encrypt(struct baseline *baseline, const uint8_t *input, size_t count, uint8_t *output)
{
    return cbc(baseline->encryption, input, count, output);
}

bool baseline_sha256(struct baseline *baseline, const uint8_t *input, size_t count)
{
    uint8_t digest[32];
    return EVP_DigestInit_ex2(baseline->hash, baseline->sha256, NULL) == 1
        && EVP_DigestUpdate(baseline->hash, input, count) == 1
        && EVP_DigestFinal_ex(baseline->hash, digest, NULL) == 1;
}

bool baseline_derive_keys(const char *password, const uint8_t salts[16], uint8_t keys[64])
{
    const int count = (int)strlen(password);
    return PKCS5_PBKDF2_HMAC(password, count, salts, 8, 10000, EVP_sha1(), 32, keys) == 1
        && PKCS5_PBKDF2_HMAC(password, count, salts + 8, 8, 10000, EVP_sha1(), 32, keys + 32) == 1;
}
