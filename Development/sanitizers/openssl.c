// OpenSSL is built without sanitizers, which therefore do not see what OpenSSL does to our memory.
// In a program that is linked with this file, these functions come before OpenSSL's: each tells the
// sanitizer what is read and written, and calls the real one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdlib.h>

#if !defined(__linux__)
#error "The order of shared libraries is Linux's."
#endif

#if __has_feature(thread_sanitizer)

void __tsan_read_range(void *start, unsigned long count);
void __tsan_write_range(void *start, unsigned long count);

// Only the ends of long memory are noted: the sanitizer's own record of it takes more room than the
// memory.
#define LONG_BYTES ((size_t)16 << 20)

static void each_end(void (*note)(void *, unsigned long), const void *start, size_t count)
{
    char *bytes = (char *)start;
    if (count > LONG_BYTES) {
        note(bytes, LONG_BYTES / 2);
        note(bytes + count - LONG_BYTES / 2, LONG_BYTES / 2);
    } else if (count > 0) {
        note(bytes, count);
    }
}

static void is_read(const void *start, size_t count) { each_end(__tsan_read_range, start, count); }
static void is_written(void *start, size_t count) { each_end(__tsan_write_range, start, count); }

#else

#include <sanitizer/asan_interface.h>

static void is_read(const void *start, size_t count)
{
    if (count == 0)
        return;
    const volatile char *wrong = __asan_region_is_poisoned((void *)start, count);
    if (wrong)
        (void)*wrong;
}

static void is_written(void *start, size_t count)
{
    if (count == 0)
        return;
    volatile char *wrong = __asan_region_is_poisoned(start, count);
    if (wrong)
        *wrong = *wrong;
}

#endif

// Two threads must not use a context at the same time, and none must use it after it was freed.
static void is_used(void *context)
{
    if (context)
        is_written(context, 1);
}

// Defines a function by its result, its name, its parameters with and without their types, what is
// noted before the real function is called, and what is noted when it has returned `status`.
#define WATCHED(RESULT, NAME, PARAMETERS, ARGUMENTS, BEFORE, AFTER)            \
    static __typeof__(NAME) *real_##NAME;                                      \
    __attribute__((constructor)) static void find_##NAME(void)                 \
    {                                                                          \
        real_##NAME = (__typeof__(NAME) *)dlsym(RTLD_NEXT, #NAME);             \
        if (!real_##NAME)                                                      \
            abort();                                                           \
    }                                                                          \
    RESULT NAME PARAMETERS                                                     \
    {                                                                          \
        BEFORE;                                                                \
        RESULT status = real_##NAME ARGUMENTS;                                 \
        AFTER;                                                                 \
        return status;                                                         \
    }
#define NOTHING (void)0
#define AES_KEY_BYTES 32

WATCHED(int, EVP_CipherInit_ex2,
    (EVP_CIPHER_CTX * context, const EVP_CIPHER *cipher, const unsigned char *key,
        const unsigned char *iv, int encrypts, const OSSL_PARAM parameters[]),
    (context, cipher, key, iv, encrypts, parameters),
    is_used(context); is_read(key, key ? AES_KEY_BYTES : 0),
    is_read(iv, iv && status == 1 ? (size_t)EVP_CIPHER_CTX_get_iv_length(context) : 0))
// Without an output the input is associated data.
WATCHED(int, EVP_CipherUpdate,
    (EVP_CIPHER_CTX * context, unsigned char *output, int *written, const unsigned char *input,
        int count),
    (context, output, written, input, count),
    is_used(context); is_read(input, (size_t)count),
    is_written(output, output && status == 1 ? (size_t)*written : 0))
WATCHED(int, EVP_CipherFinal_ex,
    (EVP_CIPHER_CTX * context, unsigned char *output, int *written),
    (context, output, written),
    is_used(context),
    is_written(output, status == 1 ? (size_t)*written : 0))
WATCHED(int, EVP_CIPHER_CTX_ctrl,
    (EVP_CIPHER_CTX * context, int type, int argument, void *pointer),
    (context, type, argument, pointer),
    is_used(context),
    is_written(pointer, type == EVP_CTRL_AEAD_GET_TAG && status == 1 ? (size_t)argument : 0))
WATCHED(int, EVP_CIPHER_CTX_set_padding,
    (EVP_CIPHER_CTX * context, int padding),
    (context, padding),
    is_used(context),
    NOTHING)
WATCHED(EVP_MAC_CTX *, EVP_MAC_CTX_dup,
    (const EVP_MAC_CTX *context),
    (context),
    is_read(context, 1),
    NOTHING)
WATCHED(int, EVP_MAC_init,
    (EVP_MAC_CTX * context, const unsigned char *key, size_t count, const OSSL_PARAM parameters[]),
    (context, key, count, parameters),
    is_used(context); is_read(key, key ? count : 0),
    NOTHING)
WATCHED(int, EVP_MAC_update,
    (EVP_MAC_CTX * context, const unsigned char *bytes, size_t count),
    (context, bytes, count),
    is_used(context); is_read(bytes, count),
    NOTHING)
WATCHED(int, EVP_MAC_final,
    (EVP_MAC_CTX * context, unsigned char *code, size_t *written, size_t capacity),
    (context, code, written, capacity),
    is_used(context),
    is_written(code, status == 1 ? *written : 0))
WATCHED(unsigned char *, EVP_Q_mac,
    (OSSL_LIB_CTX * library, const char *name, const char *properties, const char *digest,
        const OSSL_PARAM *parameters, const void *key, size_t key_count, const unsigned char *bytes,
        size_t count, unsigned char *code, size_t capacity, size_t *written),
    (library, name, properties, digest, parameters, key, key_count, bytes, count, code, capacity,
        written),
    is_read(key, key_count); is_read(bytes, count),
    is_written(code, status ? *written : 0))
WATCHED(int, PKCS5_PBKDF2_HMAC,
    (const char *password, int password_count, const unsigned char *salt, int salt_count,
        int iterations, const EVP_MD *digest, int key_count, unsigned char *key),
    (password, password_count, salt, salt_count, iterations, digest, key_count, key),
    is_read(password, (size_t)password_count); is_read(salt, (size_t)salt_count),
    is_written(key, status == 1 ? (size_t)key_count : 0))
WATCHED(int, RAND_bytes,
    (unsigned char *bytes, int count),
    (bytes, count),
    is_written(bytes, (size_t)count),
    NOTHING)
WATCHED(int, RAND_priv_bytes,
    (unsigned char *bytes, int count),
    (bytes, count),
    is_written(bytes, (size_t)count),
    NOTHING)
WATCHED(int, CRYPTO_memcmp,
    (const void *left, const void *right, size_t count),
    (left, right, count),
    is_read(left, count); is_read(right, count),
    NOTHING)

// Freeing returns nothing.
#define FREES(TYPE)                                                            \
    void TYPE##_free(TYPE *context)                                            \
    {                                                                          \
        is_used(context);                                                      \
        ((__typeof__(&TYPE##_free))dlsym(RTLD_NEXT, #TYPE "_free"))(context);  \
    }
FREES(EVP_CIPHER_CTX)
FREES(EVP_MAC_CTX)
