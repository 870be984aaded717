// Included once, before files of CPBKDF2Lanes: from here on, their types are those of words.h. What
// would mean something else there than in C, or look behind the words, does not compile; run.py
// refuses the rest of it by the text.
#pragma once
#include "standards.h"
#include <cpuid.h>
#include <immintrin.h> // of this directory
#include <arm_neon.h>  // of this directory
#include <sys/auxv.h>  // of this directory
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

inline void claim(bool isTrue, const char *what, int number = 0)
{
    if (isTrue)
        return;
    std::printf("refused: %s (%d)\n", what, number);
    std::exit(1);
}

template <typename Type> constexpr bool isWords = std::is_same_v<Type, Word>;
template <int count> constexpr bool isWords<Vector<count>> = true;

// Nothing else: a byte takes as much memory as a word here, and an address is not looked into.
template <typename To, typename From> void *copyWords(To *to, const From *from, size_t count)
{
    static_assert(isWords<To> && isWords<From>);
    return memcpy(to, from, count);
}
#define memcpy copyWords
#pragma GCC poison memset memmove memcmp bcmp memchr strlen strcmp strncmp strchr

// The instructions are models, so any processor will do.
#undef __aarch64__
#ifndef __x86_64__
#define __x86_64__ 1
#endif
#define __attribute__(x)
#define uint8_t Byte
#define uint32_t Word
#define uint64_t Count
