// Derives keys on 64-bit ARM. Arguments: a path by its number or "openssl", how many keys, how many
// iterations.
#include "CPBKDF2Lanes.h"
#include <stdlib.h>
#include <string.h>

#if defined(WITH_OPENSSL)
#include <openssl/evp.h>
#endif

int main(int count, char **arguments)
{
    static uint8_t keys[16][CPBKDF2_KEY_BYTES];
    static const uint8_t password[] = "password", salt[] = "saltsalt";
    struct cpbkdf2_request requests[16];
    if (count != 4)
        return 64;
    const size_t keyCount = (size_t)atoi(arguments[2]);
    const int iterations = atoi(arguments[3]);
    if (keyCount > 16 || iterations < 1)
        return 64;
#if defined(WITH_OPENSSL)
    if (strcmp(arguments[1], "openssl") == 0) {
        for (size_t i = 0; i < keyCount; i++)
            if (PKCS5_PBKDF2_HMAC(
                    (const char *)password, 8, salt, 8, iterations, EVP_sha1(), CPBKDF2_KEY_BYTES,
                    keys[i]) != 1)
                return 1;
        return 0;
    }
#endif
    const enum cpbkdf2_path path = (enum cpbkdf2_path)atoi(arguments[1]);
    for (size_t i = 0; i < keyCount; i++)
        requests[i] = (struct cpbkdf2_request){password, 8, salt, 8, keys[i]};
    if (!cpbkdf2_is_available(path))
        return 1;
    cpbkdf2_derive(path, requests, keyCount, (uint32_t)iterations);
    return 0;
}
