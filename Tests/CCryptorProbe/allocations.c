#include "CCryptorProbe.h"

#include <openssl/crypto.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_long made;
// The number of the allocation that fails; 0 for none.
static atomic_long failing;
static atomic_bool and_all_after;

static bool fails(void)
{
    const long number = atomic_fetch_add(&made, 1) + 1;
    const long first = atomic_load(&failing);
    return first != 0 && (number == first || (number > first && atomic_load(&and_all_after)));
}

static void *allocate(size_t count, const char *file, int line)
{
    (void)file, (void)line;
    return fails() ? NULL : malloc(count);
}

static void *reallocate(void *bytes, size_t count, const char *file, int line)
{
    (void)file, (void)line;
    return fails() ? NULL : realloc(bytes, count);
}

static void release(void *bytes, const char *file, int line)
{
    (void)file, (void)line;
    free(bytes);
}

bool probe_watch_allocations(void)
{
    return CRYPTO_set_mem_functions(allocate, reallocate, release) == 1;
}

void probe_fail_allocation(long number, bool all_after)
{
    atomic_store(&made, 0);
    atomic_store(&and_all_after, all_after);
    atomic_store(&failing, number);
}

long probe_allocations(void)
{
    return atomic_load(&made);
}
