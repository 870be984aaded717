#include "CCryptorProbe.h"

#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#endif

bool probe_has_address_sanitizer(void) { return __has_feature(address_sanitizer); }
bool probe_has_thread_sanitizer(void) { return __has_feature(thread_sanitizer); }
bool probe_has_undefined_behavior_sanitizer(void)
{
    return __has_feature(undefined_behavior_sanitizer);
}

bool probe_finds_leaks(void)
{
#if __has_feature(address_sanitizer)
    return __lsan_do_recoverable_leak_check() != 0;
#else
    return false;
#endif
}

int probe_read_misaligned(const char *bytes)
{
    // The address is one more than a multiple of four, wherever the bytes begin.
    return *(const int *)(((unsigned long)bytes & ~3ul) + 1);
}
