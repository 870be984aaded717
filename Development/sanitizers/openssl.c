// OpenSSL is built without sanitizers, which therefore do not see what OpenSSL does to our memory. In a program that is
// linked with this file, these functions come before OpenSSL's: each tells the sanitizer what is read and written, and
// calls the real one.
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

// Only the ends of long memory are noted: the sanitizer's own record of it takes more room than the memory.
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

#define FUNCTIONS(EACH)                                                                                          \
    EACH(EVP_CipherInit_ex2) EACH(EVP_CipherUpdate) EACH(EVP_CipherFinal_ex) EACH(EVP_CIPHER_CTX_set_padding)    \
    EACH(EVP_CIPHER_CTX_ctrl) EACH(EVP_CIPHER_CTX_free) EACH(EVP_MAC_CTX_dup) EACH(EVP_MAC_CTX_free)             \
    EACH(EVP_MAC_init) EACH(EVP_MAC_update) EACH(EVP_MAC_final) EACH(PKCS5_PBKDF2_HMAC) EACH(RAND_bytes)         \
    EACH(RAND_priv_bytes) EACH(CRYPTO_memcmp)

#define MEMBER(name) __typeof__(name) *name;
static struct { FUNCTIONS(MEMBER) } real;

__attribute__((constructor)) static void find_functions(void)
{
#define FIND(name) if (!(real.name = (__typeof__(name) *)dlsym(RTLD_NEXT, #name))) abort();
    FUNCTIONS(FIND)
}

#define AES_KEY_BYTES 32

int EVP_CipherInit_ex2(
    EVP_CIPHER_CTX *context, const EVP_CIPHER *cipher, const unsigned char *key, const unsigned char *iv, int encrypts,
    const OSSL_PARAM parameters[])
{
    is_used(context);
    is_read(key, key ? AES_KEY_BYTES : 0);
    const int status = real.EVP_CipherInit_ex2(context, cipher, key, iv, encrypts, parameters);
    is_read(iv, iv && status == 1 ? (size_t)EVP_CIPHER_CTX_get_iv_length(context) : 0);
    return status;
}

int EVP_CipherUpdate(
    EVP_CIPHER_CTX *context, unsigned char *output, int *written, const unsigned char *input, int count)
{
    is_used(context);
    is_read(input, (size_t)count);
    const int status = real.EVP_CipherUpdate(context, output, written, input, count);
    // Without an output the input is associated data.
    is_written(output, output && status == 1 ? (size_t)*written : 0);
    return status;
}

int EVP_CipherFinal_ex(EVP_CIPHER_CTX *context, unsigned char *output, int *written)
{
    is_used(context);
    const int status = real.EVP_CipherFinal_ex(context, output, written);
    is_written(output, status == 1 ? (size_t)*written : 0);
    return status;
}

int EVP_CIPHER_CTX_ctrl(EVP_CIPHER_CTX *context, int type, int argument, void *pointer)
{
    is_used(context);
    const int status = real.EVP_CIPHER_CTX_ctrl(context, type, argument, pointer);
    is_written(pointer, type == EVP_CTRL_AEAD_GET_TAG && status == 1 ? (size_t)argument : 0);
    return status;
}

int EVP_CIPHER_CTX_set_padding(EVP_CIPHER_CTX *context, int padding)
{
    is_used(context);
    return real.EVP_CIPHER_CTX_set_padding(context, padding);
}

void EVP_CIPHER_CTX_free(EVP_CIPHER_CTX *context)
{
    is_used(context);
    real.EVP_CIPHER_CTX_free(context);
}

EVP_MAC_CTX *EVP_MAC_CTX_dup(const EVP_MAC_CTX *context)
{
    is_read(context, 1);
    return real.EVP_MAC_CTX_dup(context);
}

void EVP_MAC_CTX_free(EVP_MAC_CTX *context)
{
    is_used(context);
    real.EVP_MAC_CTX_free(context);
}

int EVP_MAC_init(EVP_MAC_CTX *context, const unsigned char *key, size_t count, const OSSL_PARAM parameters[])
{
    is_used(context);
    is_read(key, key ? count : 0);
    return real.EVP_MAC_init(context, key, count, parameters);
}

int EVP_MAC_update(EVP_MAC_CTX *context, const unsigned char *bytes, size_t count)
{
    is_used(context);
    is_read(bytes, count);
    return real.EVP_MAC_update(context, bytes, count);
}

int EVP_MAC_final(EVP_MAC_CTX *context, unsigned char *code, size_t *written, size_t capacity)
{
    is_used(context);
    const int status = real.EVP_MAC_final(context, code, written, capacity);
    is_written(code, status == 1 ? *written : 0);
    return status;
}

int PKCS5_PBKDF2_HMAC(
    const char *password, int password_count, const unsigned char *salt, int salt_count, int iterations,
    const EVP_MD *digest, int key_count, unsigned char *key)
{
    is_read(password, (size_t)password_count);
    is_read(salt, (size_t)salt_count);
    const int status = real.PKCS5_PBKDF2_HMAC(
        password, password_count, salt, salt_count, iterations, digest, key_count, key);
    is_written(key, status == 1 ? (size_t)key_count : 0);
    return status;
}

int RAND_bytes(unsigned char *bytes, int count)
{
    is_written(bytes, (size_t)count);
    return real.RAND_bytes(bytes, count);
}

int RAND_priv_bytes(unsigned char *bytes, int count)
{
    is_written(bytes, (size_t)count);
    return real.RAND_priv_bytes(bytes, count);
}

int CRYPTO_memcmp(const void *left, const void *right, size_t count)
{
    is_read(left, count);
    is_read(right, count);
    return real.CRYPTO_memcmp(left, right, count);
}
