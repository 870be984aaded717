// A file of its own, because with _GNU_SOURCE strerror_r(3) is another function.
#define _POSIX_C_SOURCE 200809L
#include "CCryptorSystem.h"

int ccryptor_error_text(int number, char *text, size_t capacity)
{
    return strerror_r(number, text, capacity);
}
