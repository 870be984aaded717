#include "CCryptorProbe.h"

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>

bool probe_is_checked(void) { return RUNNING_ON_VALGRIND; }

void probe_mark_secret(const void *bytes, size_t count)
{
    VALGRIND_MAKE_MEM_UNDEFINED(bytes, count);
}

void probe_mark_public(const void *bytes, size_t count)
{
    VALGRIND_MAKE_MEM_DEFINED(bytes, count);
}

#else

bool probe_is_checked(void) { return false; }

void probe_mark_secret(const void *bytes, size_t count) { (void)bytes, (void)count; }

void probe_mark_public(const void *bytes, size_t count) { (void)bytes, (void)count; }

#endif

int probe_leaky_compare(const uint8_t *left, const uint8_t *right, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (((const volatile uint8_t *)left)[i] != right[i])
            return 1;
    return 0;
}

int probe_leaky_index(const uint8_t *bytes, size_t count)
{
    static const volatile uint8_t table[256] = {1};
    int sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += table[bytes[i]];
    return sum;
}
