// Loaded with LD_PRELOAD. Makes this system's OpenSSL act like another one, which OPENSSL_AS names.
//
//   3.0.0   up to 3.0.2, EVP_MAC_init without a key starts nothing new: the next message silently
//           continues the last
//   fips    the algorithms are those of a provider called fips, and PKCS5_PBKDF2_HMAC keeps to the
//           bounds of SP 800-132: a salt of at least 16 bytes
#define _GNU_SOURCE
#include <dlfcn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NEXT(NAME) ((__typeof__(&NAME))dlsym(RTLD_NEXT, #NAME))

static bool is_as(const char *name)
{
    const char *other = getenv("OPENSSL_AS");
    return other && strcmp(other, name) == 0;
}

int EVP_MAC_init(
    EVP_MAC_CTX *context, const unsigned char *key, size_t count, const OSSL_PARAM *parameters)
{
    const int status = NEXT(EVP_MAC_init)(context, key, count, parameters);
    if (key || !is_as("3.0.0") || status != 1)
        return status;
    // Every call succeeds, but the tag is that of another message.
    return EVP_MAC_update(context, (const unsigned char *)"the last message", 16);
}

const char *OSSL_PROVIDER_get0_name(const OSSL_PROVIDER *provider)
{
    return is_as("fips") ? "fips" : NEXT(OSSL_PROVIDER_get0_name)(provider);
}

int PKCS5_PBKDF2_HMAC(
    const char *password, int password_count, const unsigned char *salt, int salt_count,
    int iterations, const EVP_MD *digest, int key_count, unsigned char *key)
{
    if (!is_as("fips"))
        return NEXT(PKCS5_PBKDF2_HMAC)(
            password, password_count, salt, salt_count, iterations, digest, key_count, key);
    // PKCS5_PBKDF2_HMAC itself turns the bounds off. The rest is the same.
    int has_no_bounds = 0;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_int(OSSL_KDF_PARAM_PKCS5, &has_no_bounds),
        OSSL_PARAM_construct_octet_string(
            OSSL_KDF_PARAM_PASSWORD, (void *)password, (size_t)password_count),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, (size_t)salt_count),
        OSSL_PARAM_construct_int(OSSL_KDF_PARAM_ITER, &iterations),
        OSSL_PARAM_construct_utf8_string(
            OSSL_KDF_PARAM_DIGEST, (char *)EVP_MD_get0_name(digest), 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, "PBKDF2", NULL);
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(kdf);
    const int status = EVP_KDF_derive(context, key, (size_t)key_count, parameters) == 1;
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(kdf);
    return status;
}
