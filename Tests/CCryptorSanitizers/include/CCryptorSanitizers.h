#ifndef CRYPTORFORMAT_CSANITIZERS_H
#define CRYPTORFORMAT_CSANITIZERS_H

#include <stdbool.h>

/// Whether these tests were built with a sanitizer. Only C can ask the compiler.
bool has_address_sanitizer(void);
bool has_thread_sanitizer(void);
bool has_undefined_behavior_sanitizer(void);

/// Lets LeakSanitizer look for leaked memory and report it. Returns whether there is any.
bool finds_leaks(void);

/// Reads a number at an address that is not a multiple of its size, which UndefinedBehaviorSanitizer reports.
int read_misaligned(const char *bytes);

#endif
