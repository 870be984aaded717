// Included once, before files of CPBKDF2Lanes: from here on, their types are those of words.h.
#pragma once
#include "standards.h"
#include <cpuid.h>
#include <immintrin.h> // of this folder
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

#ifndef __x86_64__
#define __x86_64__ 1 // The instructions are models, so any processor will do.
#endif
#define __attribute__(x)
#define uint8_t Byte
#define uint32_t Word
#define uint64_t Count
