// Loaded with LD_PRELOAD. Lets one call of OpenSSL's EVP or RAND functions fail with 0 or a null
// pointer, as a provider may at any time. The program decides which: it finds the functions
// `evp_…` with dlsym(3).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#define NEXT(NAME) ((__typeof__(&NAME))dlsym(RTLD_NEXT, #NAME))

static const char *failing = "";
static long number;
static bool gives_reason;
static atomic_long calls;

// From now on, the call of the function with this number fails, with a reason or without; with 0,
// none does. `name` is not copied.
void evp_fail(const char *name, long failing_number, bool with_reason)
{
    failing = name;
    number = failing_number;
    gives_reason = with_reason;
    atomic_store(&calls, 0);
}

static bool is_newest(int reason)
{
    return ERR_peek_last_error() == (reason ? ERR_PACK(ERR_LIB_USER, 0, reason) : 0);
}

// Puts three reasons of the program's into this thread's queue, with one, two and one marks.
void evp_plant(void)
{
    ERR_clear_error();
    for (int reason = 1; reason <= 3; reason++) {
        ERR_raise(ERR_LIB_USER, reason);
        for (int mark = reason == 2 ? 2 : 1; mark > 0; mark--)
            ERR_set_mark();
    }
}

// Whether this thread's queue is as `evp_plant` has left it, but perhaps with newer reasons. It is
// empty afterwards.
bool evp_is_planted(bool with_newer)
{
    bool is_right = is_newest(3) != with_newer;
    const int left[] = {3, 2, 2, 1};
    for (size_t pop = 0; pop < sizeof left / sizeof *left; pop++)
        is_right = ERR_pop_to_mark() == 1 && is_newest(left[pop]) && is_right;
    is_right = ERR_pop_to_mark() == 0 && is_right;
    ERR_clear_error();
    return is_right;
}

// Removes all reasons from this thread's queue, and returns their number.
long evp_reasons(void)
{
    long count = 0;
    while (ERR_get_error())
        count++;
    return count;
}

// The number of calls of the failing function since the last `evp_fail`.
long evp_calls(void) { return atomic_load(&calls); }

// Calls from within OpenSSL, such as those of its random number generator, are left alone.
static bool is_openssl(const void *caller)
{
    Dl_info object;
    return dladdr(caller, &object) && object.dli_fname && strstr(object.dli_fname, "libcrypto");
}

static bool strikes(const char *name, const void *caller)
{
    if (strcmp(name, failing) != 0 || is_openssl(caller))
        return false;
    if (atomic_fetch_add(&calls, 1) + 1 != number)
        return false;
    if (gives_reason)
        ERR_raise(ERR_LIB_EVP, ERR_R_INTERNAL_ERROR);
    return true;
}

// Defines a function by its result, its name, and its parameters with and without their types. A
// call that fails writes no output.
#define FAILING(RESULT, NAME, PARAMETERS, ARGUMENTS)                                               \
    RESULT NAME PARAMETERS                                                                         \
    {                                                                                              \
        return strikes(#NAME, __builtin_return_address(0)) ? 0 : NEXT(NAME) ARGUMENTS;             \
    }

FAILING(EVP_CIPHER_CTX *, EVP_CIPHER_CTX_new, (void), ())
FAILING(int, EVP_CipherInit_ex2,
    (EVP_CIPHER_CTX * context, const EVP_CIPHER *cipher, const unsigned char *key,
        const unsigned char *iv, int direction, const OSSL_PARAM *parameters),
    (context, cipher, key, iv, direction, parameters))
FAILING(int, EVP_CIPHER_CTX_set_padding, (EVP_CIPHER_CTX * context, int padding),
    (context, padding))
FAILING(int, EVP_CipherUpdate,
    (EVP_CIPHER_CTX * context, unsigned char *output, int *written, const unsigned char *input,
        int count),
    (context, output, written, input, count))
FAILING(int, EVP_CipherFinal_ex, (EVP_CIPHER_CTX * context, unsigned char *output, int *written),
    (context, output, written))
FAILING(int, EVP_CIPHER_CTX_ctrl, (EVP_CIPHER_CTX * context, int type, int count, void *bytes),
    (context, type, count, bytes))
FAILING(EVP_MAC_CTX *, EVP_MAC_CTX_dup, (const EVP_MAC_CTX *context), (context))
FAILING(int, EVP_MAC_init,
    (EVP_MAC_CTX * context, const unsigned char *key, size_t count, const OSSL_PARAM *parameters),
    (context, key, count, parameters))
FAILING(int, EVP_MAC_update, (EVP_MAC_CTX * context, const unsigned char *bytes, size_t count),
    (context, bytes, count))
FAILING(int, EVP_MAC_final,
    (EVP_MAC_CTX * context, unsigned char *code, size_t *written, size_t capacity),
    (context, code, written, capacity))
FAILING(int, PKCS5_PBKDF2_HMAC,
    (const char *password, int password_count, const unsigned char *salt, int salt_count,
        int iterations, const EVP_MD *digest, int key_count, unsigned char *key),
    (password, password_count, salt, salt_count, iterations, digest, key_count, key))
FAILING(unsigned char *, EVP_Q_mac,
    (OSSL_LIB_CTX * library, const char *name, const char *properties, const char *digest,
        const OSSL_PARAM *parameters, const void *key, size_t key_count, const unsigned char *bytes,
        size_t count, unsigned char *code, size_t capacity, size_t *written),
    (library, name, properties, digest, parameters, key, key_count, bytes, count, code, capacity,
        written))
FAILING(int, EVP_RAND_reseed,
    (EVP_RAND_CTX * context, int is_resistant, const unsigned char *entropy, size_t entropy_count,
        const unsigned char *more, size_t count),
    (context, is_resistant, entropy, entropy_count, more, count))
FAILING(int, RAND_bytes, (unsigned char *bytes, int count), (bytes, count))
FAILING(int, RAND_priv_bytes, (unsigned char *bytes, int count), (bytes, count))
