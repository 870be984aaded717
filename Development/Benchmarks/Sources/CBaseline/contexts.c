#include "contexts.h"

#include <openssl/crypto.h>
#include <openssl/params.h>
#include <stdlib.h>

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
    if (!baseline->encryption || !baseline->decryption || !baseline->authentication || !baseline->hash
        || !baseline->sha256) {
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

const char *baseline_openssl_version(void)
{
    return OpenSSL_version(OPENSSL_VERSION);
}
