#ifndef CRYPTORFORMAT_CSANITIZERS_H
#define CRYPTORFORMAT_CSANITIZERS_H

#include <stdbool.h>

/// Whether these tests were built with a sanitizer. Only C can ask the compiler.
bool has_address_sanitizer(void);
bool has_thread_sanitizer(void);
bool has_undefined_behavior_sanitizer(void);

/// Has LeakSanitizer look for memory that was lost, and report it.
bool finds_leaks(void);

/// Reads a number at an address that is no multiple of its size: what the last of them reports.
int read_misaligned(const char *bytes);

#endif
