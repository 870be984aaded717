#define _GNU_SOURCE
#include "CBaseline.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

// Makes the buffer large enough for a line, its message or its text.
static bool reserve(uint8_t **buffer, size_t *room, size_t line_bytes)
{
    const size_t needed = 2 * line_bytes + 256;
    if (*room >= needed) return true;
    uint8_t *larger = realloc(*buffer, needed);
    if (larger == NULL) return false;
    *buffer = larger;
    *room = needed;
    return true;
}

static bool encrypt_line(
    struct baseline *baseline, const char *line, size_t count, uint8_t *message, uint8_t *text)
{
    if (!baseline_encrypt(baseline, (const uint8_t *)line, count, message)) return false;
    const int written = EVP_EncodeBlock(text, message, (int)baseline_message_bytes(count));
    text[written] = '\n';
    return fwrite(text, 1, (size_t)written + 1, stdout) == (size_t)written + 1;
}

static bool decrypt_line(
    struct baseline *baseline, const char *line, size_t count, uint8_t *message, uint8_t *text)
{
    size_t plaintext_count;
    int decoded = EVP_DecodeBlock(message, (const uint8_t *)line, (int)count);
    if (decoded < 0 || count < 2) return false;
    decoded -= (line[count - 1] == '=') + (line[count - 2] == '=');
    if (!baseline_decrypt(baseline, message, (size_t)decoded, text, &plaintext_count)) return false;
    text[plaintext_count] = '\n';
    return fwrite(text, 1, plaintext_count + 1, stdout) == plaintext_count + 1;
}

bool baseline_lines(struct baseline *baseline, bool decrypts)
{
    static char buffer[1 << 16];
    bool (*work)(struct baseline *, const char *, size_t, uint8_t *, uint8_t *) =
        decrypts ? decrypt_line : encrypt_line;
    char *line = NULL;
    size_t line_room = 0, message_room = 0, text_room = 0;
    uint8_t *message = NULL, *text = NULL;
    ssize_t count;
    bool is_right = setvbuf(stdout, buffer, _IOFBF, sizeof buffer) == 0;
    while (is_right && (count = getline(&line, &line_room, stdin)) > 0) {
        if (line[count - 1] == '\n') count--;
        is_right = reserve(&message, &message_room, (size_t)count)
            && reserve(&text, &text_room, (size_t)count)
            && work(baseline, line, (size_t)count, message, text);
    }
    free(line);
    free(message);
    free(text);
    return is_right && fflush(stdout) == 0;
}
