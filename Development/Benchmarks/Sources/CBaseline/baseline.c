#include "CBaseline.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

struct baseline {
    EVP_CIPHER_CTX *encryption;
    EVP_CIPHER_CTX *decryption;
    EVP_MAC_CTX *authentication;
    EVP_MD_CTX *hash;
    EVP_MD *sha256;
};

static EVP_CIPHER_CTX *cipher(const uint8_t *key, int encrypts)
{
    EVP_CIPHER *algorithm = EVP_CIPHER_fetch(NULL, "AES-256-CBC", NULL);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (!context || EVP_CipherInit_ex2(context, algorithm, key, NULL, encrypts, NULL) != 1) {
        EVP_CIPHER_CTX_free(context);
        context = NULL;
    }
    EVP_CIPHER_free(algorithm);
    return context;
}

static EVP_MAC_CTX *hmac(const uint8_t *key)
{
    EVP_MAC *algorithm = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = algorithm ? EVP_MAC_CTX_new(algorithm) : NULL;
    char digest[] = "SHA256";
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string("digest", digest, 0),
        OSSL_PARAM_construct_end(),
    };
    if (!context || EVP_MAC_init(context, key, BASELINE_KEY_BYTES, parameters) != 1) {
        EVP_MAC_CTX_free(context);
        context = NULL;
    }
    EVP_MAC_free(algorithm);
    return context;
}

struct baseline *baseline_new(const uint8_t *encryption_key, const uint8_t *hmac_key)
{
    struct baseline *baseline = calloc(1, sizeof *baseline);
    if (!baseline)
        return NULL;
    baseline->encryption = cipher(encryption_key, 1);
    baseline->decryption = cipher(encryption_key, 0);
    baseline->authentication = hmac(hmac_key);
    baseline->hash = EVP_MD_CTX_new();
    baseline->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    if (!baseline->encryption || !baseline->decryption || !baseline->authentication
        || !baseline->hash || !baseline->sha256) {
        baseline_free(baseline);
        return NULL;
    }
    return baseline;
}

void baseline_free(struct baseline *baseline)
{
    EVP_CIPHER_CTX_free(baseline->encryption);
    EVP_CIPHER_CTX_free(baseline->decryption);
    EVP_MAC_CTX_free(baseline->authentication);
    EVP_MD_CTX_free(baseline->hash);
    EVP_MD_free(baseline->sha256);
    free(baseline);
}

// MARK: A primitive alone

static const uint8_t iv[BASELINE_BLOCK_BYTES];

bool baseline_cbc_encrypt(
    struct baseline *baseline, const uint8_t *input, size_t count, uint8_t *output)
{
    EVP_CIPHER_CTX *context = baseline->encryption;
    // With padding, OpenSSL would hold back the last block.
    int written;
    const bool succeeded = EVP_CipherInit_ex(context, NULL, NULL, NULL, iv, -1) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
        && EVP_CipherUpdate(context, output, &written, input, (int)count) == 1
        && (size_t)written == count;
    return EVP_CIPHER_CTX_set_padding(context, 1) == 1 && succeeded;
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

// MARK: A message of version 3 with keys

size_t baseline_message_bytes(size_t plaintext_bytes)
{
    const size_t blocks = plaintext_bytes / BASELINE_BLOCK_BYTES + 1;
    return BASELINE_HEADER_BYTES + blocks * BASELINE_BLOCK_BYTES + BASELINE_CODE_BYTES;
}

bool baseline_encrypt(
    struct baseline *baseline, const uint8_t *plaintext, size_t count, uint8_t *message)
{
    uint8_t *ciphertext = message + BASELINE_HEADER_BYTES;
    int first, last;
    size_t code_bytes;
    message[0] = 3;
    message[1] = 0;
    if (RAND_bytes(message + 2, BASELINE_BLOCK_BYTES) != 1
        || EVP_CipherInit_ex(baseline->encryption, NULL, NULL, NULL, message + 2, -1) != 1
        || EVP_EncryptUpdate(baseline->encryption, ciphertext, &first, plaintext, (int)count) != 1
        || EVP_EncryptFinal_ex(baseline->encryption, ciphertext + first, &last) != 1)
        return false;
    uint8_t *code = ciphertext + first + last;
    return EVP_MAC_init(baseline->authentication, NULL, 0, NULL) == 1
        && EVP_MAC_update(baseline->authentication, message, (size_t)(code - message)) == 1
        && EVP_MAC_final(baseline->authentication, code, &code_bytes, BASELINE_CODE_BYTES) == 1;
}

bool baseline_decrypt(
    struct baseline *baseline, const uint8_t *message, size_t count, uint8_t *plaintext,
    size_t *plaintext_count)
{
    const bool has_password = count > 1 && message[1] == 1;
    const size_t header_bytes =
        has_password ? BASELINE_PASSWORD_HEADER_BYTES : BASELINE_HEADER_BYTES;
    if (count < header_bytes + BASELINE_BLOCK_BYTES + BASELINE_CODE_BYTES
        || (count - header_bytes - BASELINE_CODE_BYTES) % BASELINE_BLOCK_BYTES != 0
        || message[0] != 3 || message[1] > 1)
        return false;
    const uint8_t *message_iv = message + header_bytes - BASELINE_BLOCK_BYTES;
    const uint8_t *ciphertext = message + header_bytes;
    const uint8_t *code = message + count - BASELINE_CODE_BYTES;
    const int ciphertext_bytes = (int)(code - ciphertext);
    uint8_t expected[BASELINE_CODE_BYTES];
    size_t code_bytes;
    int first, last;
    if (EVP_MAC_init(baseline->authentication, NULL, 0, NULL) != 1
        || EVP_MAC_update(baseline->authentication, message, (size_t)(code - message)) != 1
        || EVP_MAC_final(baseline->authentication, expected, &code_bytes, sizeof expected) != 1
        || CRYPTO_memcmp(expected, code, sizeof expected) != 0
        || EVP_CipherInit_ex(baseline->decryption, NULL, NULL, NULL, message_iv, -1) != 1
        || EVP_DecryptUpdate(baseline->decryption, plaintext, &first, ciphertext, ciphertext_bytes)
            != 1
        || EVP_DecryptFinal_ex(baseline->decryption, plaintext + first, &last) != 1)
        return false;
    *plaintext_count = (size_t)first + (size_t)last;
    return true;
}
