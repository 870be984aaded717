// Uses OpenSSL's queue of error reasons as a program that embeds the library does.
#include "CCryptorProbe.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

void probe_raise(int number)
{
    ERR_new();
    ERR_set_debug("embedding.c", number, "embedding");
    ERR_set_error(ERR_LIB_USER, number, "the embedding program's number %d", number);
}

void probe_mark_errors(void) { ERR_set_mark(); }

bool probe_pop_to_mark(void) { return ERR_pop_to_mark() == 1; }

int probe_take_error(void)
{
    const char *file, *function, *data;
    int line, flags;
    char expected[64];
    const unsigned long code = ERR_get_error_all(&file, &line, &function, &data, &flags);
    if (code == 0)
        return 0;
    snprintf(expected, sizeof expected, "the embedding program's number %d", line);
    const bool is_whole = ERR_GET_LIB(code) == ERR_LIB_USER && ERR_GET_REASON(code) == line
        && strcmp(file, "embedding.c") == 0 && strcmp(function, "embedding") == 0 && strcmp(data, expected) == 0;
    return is_whole ? line : -1;
}

bool probe_set_fips(bool is_on) { return EVP_default_properties_enable_fips(NULL, is_on) == 1; }
