// Stands in for OpenSSL's OPENSSL_cleanse() in the programs that it is linked to, and notes what is
// cleansed.
#include "CCryptorProbe.h"

#include <openssl/crypto.h>
#include <string.h>

#ifdef __linux__
static _Thread_local long derived_keys;
static _Thread_local size_t batches[16], batch_count;
static _Thread_local const void *last_bytes;
static _Thread_local size_t last_count;

void OPENSSL_cleanse(void *bytes, size_t count)
{
    last_bytes = bytes;
    last_count = count;
    if (count > 0 && count % 64 == 0) {
        derived_keys += (long)(count / 32);
        if (count >= 64 * PROBE_FEWEST_IN_BATCH && batch_count < 16)
            batches[batch_count++] = count / 64;
    }
    for (size_t i = 0; i < count; i++)
        ((volatile uint8_t *)bytes)[i] = 0;
}

long probe_derived_keys(void) { return derived_keys; }

size_t probe_take_batches(size_t counts[16])
{
    const size_t count = batch_count;
    memcpy(counts, batches, count * sizeof *counts);
    batch_count = 0;
    return count;
}

const void *probe_last_cleansed(size_t *count)
{
    *count = last_count;
    return last_bytes;
}
#endif
