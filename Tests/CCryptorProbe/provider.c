// A provider that differs from OpenSSL's default one in its name: it passes on the algorithms of a
// default provider in a library context of its own.
#include "CCryptorProbe.h"

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdatomic.h>
#include <string.h>

#define MAX_ENTRIES 64

static OSSL_PROVIDER *real;
static bool copies;
static atomic_long derivations;
static OSSL_FUNC_kdf_derive_fn *real_derive;

static int derive(
    void *context, unsigned char *key, size_t count, const OSSL_PARAM parameters[])
{
    atomic_fetch_add(&derivations, 1);
    return real_derive(context, key, count, parameters);
}

// Copies a table of functions without the one with `left_out`, and with `derive` in place of that
// of PBKDF2.
static const OSSL_DISPATCH *changed(
    OSSL_DISPATCH *copy, const OSSL_DISPATCH *functions, int left_out, bool counts)
{
    size_t count = 0;
    for (; functions->function_id && count + 1 < MAX_ENTRIES; functions++) {
        if (functions->function_id == left_out)
            continue;
        copy[count] = *functions;
        if (counts && functions->function_id == OSSL_FUNC_KDF_DERIVE) {
            real_derive = OSSL_FUNC_kdf_derive(functions);
            copy[count].function = (void (*)(void))derive;
        }
        count++;
    }
    copy[count] = (OSSL_DISPATCH){0, NULL};
    return copy;
}

static const OSSL_ALGORITHM *query(void *context, int operation, int *no_cache)
{
    static OSSL_ALGORITHM algorithms[2][MAX_ENTRIES];
    static OSSL_DISPATCH hmac[MAX_ENTRIES], pbkdf2[MAX_ENTRIES];
    (void)context;
    const OSSL_ALGORITHM *found = OSSL_PROVIDER_query_operation(real, operation, no_cache);
    if (!found || (operation != OSSL_OP_MAC && operation != OSSL_OP_KDF))
        return found;
    OSSL_ALGORITHM *copy = algorithms[operation == OSSL_OP_MAC];
    size_t count = 0;
    for (; found->algorithm_names && count + 1 < MAX_ENTRIES; found++, count++) {
        copy[count] = *found;
        if (!strncmp(found->algorithm_names, "HMAC", 4) && !copies)
            copy[count].implementation =
                changed(hmac, found->implementation, OSSL_FUNC_MAC_DUPCTX, false);
        if (!strncmp(found->algorithm_names, "PBKDF2", 6))
            copy[count].implementation = changed(pbkdf2, found->implementation, 0, true);
    }
    copy[count] = (OSSL_ALGORITHM){0};
    return copy;
}

static int start(
    const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
    void **context)
{
    static const OSSL_DISPATCH functions[] = {
        {OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query}, {0, NULL}};
    (void)handle;
    (void)in;
    *out = functions;
    *context = OSSL_PROVIDER_get0_provider_ctx(real);
    return 1;
}

bool probe_load_other_provider(bool has_copies)
{
    copies = has_copies;
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    real = library ? OSSL_PROVIDER_load(library, "default") : NULL;
    return real && OSSL_PROVIDER_add_builtin(NULL, "other", start) &&
        OSSL_PROVIDER_load(NULL, "other");
}

long probe_other_derivations(void) { return atomic_load(&derivations); }

bool probe_use_own_library_context(void)
{
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    return library && OSSL_LIB_CTX_set0_default(library);
}

bool probe_set_default_properties(const char *properties)
{
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    return EVP_set_default_properties(NULL, properties);
}
