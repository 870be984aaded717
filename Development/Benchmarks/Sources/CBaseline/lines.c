#define _GNU_SOURCE
#include "CBaseline.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// The plaintext of a line in base64 or, after `\\x`, in hexadecimal digits; -1 if it is none.
static ssize_t decode(enum baseline_text form, const char *line, size_t count, uint8_t *plaintext)
{
    if (form == BASELINE_BASE64) {
        const int decoded = EVP_DecodeBlock(plaintext, (const uint8_t *)line, (int)count);
        if (decoded < 0 || count < 2) return -1;
        return decoded - (line[count - 1] == '=') - (line[count - 2] == '=');
    }
    if (count < 3 || count % 2 == 0) return -1;
    static const int8_t values[256] = {
        ['0'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ['a'] = 11, 12, 13, 14, 15, 16,
        ['A'] = 11, 12, 13, 14, 15, 16,
    };
    const uint8_t *digits = (const uint8_t *)line + 3;
    for (size_t i = 0; i < (count - 3) / 2; i++) {
        const int high = values[digits[2 * i]], low = values[digits[2 * i + 1]];
        if (high == 0 || low == 0) return -1;
        plaintext[i] = (uint8_t)((high - 1) << 4 | (low - 1));
    }
    return (ssize_t)((count - 3) / 2);
}

static size_t encode(
    enum baseline_text form, const uint8_t *plaintext, size_t count, uint8_t *line)
{
    if (form == BASELINE_BASE64) return (size_t)EVP_EncodeBlock(line, plaintext, (int)count);
    static const char digits[] = "0123456789abcdef";
    memcpy(line, "\\\\x", 3);
    for (size_t i = 0; i < count; i++) {
        line[3 + 2 * i] = (uint8_t)digits[plaintext[i] >> 4];
        line[4 + 2 * i] = (uint8_t)digits[plaintext[i] & 15];
    }
    return 3 + 2 * count;
}

// What the work on a line needs.
struct work {
    struct baseline *baseline;
    enum baseline_text form;
    uint8_t *plaintext, *message, *text;
};

static bool write_line(uint8_t *text, size_t count)
{
    text[count] = '\n';
    return fwrite(text, 1, count + 1, stdout) == count + 1;
}

static bool encrypt_line(const struct work *work, const char *line, size_t count)
{
    const uint8_t *plaintext = (const uint8_t *)line;
    if (work->form != BASELINE_TEXT) {
        const ssize_t decoded = decode(work->form, line, count, work->plaintext);
        if (decoded < 0) return false;
        plaintext = work->plaintext;
        count = (size_t)decoded;
    }
    if (!baseline_encrypt(work->baseline, plaintext, count, work->message)) return false;
    const int written =
        EVP_EncodeBlock(work->text, work->message, (int)baseline_message_bytes(count));
    return write_line(work->text, (size_t)written);
}

static bool decrypt_line(const struct work *work, const char *line, size_t count)
{
    const ssize_t decoded = decode(BASELINE_BASE64, line, count, work->message);
    const bool is_text = work->form == BASELINE_TEXT;
    uint8_t *plaintext = is_text ? work->text : work->plaintext;
    size_t plaintext_count;
    if (decoded < 0
        || !baseline_decrypt(
            work->baseline, work->message, (size_t)decoded, plaintext, &plaintext_count))
        return false;
    if (!is_text)
        plaintext_count = encode(work->form, plaintext, plaintext_count, work->text);
    return write_line(work->text, plaintext_count);
}

bool baseline_lines(struct baseline *baseline, bool decrypts, enum baseline_text form)
{
    static char buffer[1 << 16];
    struct work work = {.baseline = baseline, .form = form};
    char *line = NULL;
    size_t line_room = 0, message_room = 0, text_room = 0, plaintext_room = 0;
    ssize_t count;
    bool is_right = setvbuf(stdout, buffer, _IOFBF, sizeof buffer) == 0;
    while (is_right && (count = getline(&line, &line_room, stdin)) > 0) {
        if (line[count - 1] == '\n') count--;
        is_right = reserve(&work.message, &message_room, (size_t)count)
            && reserve(&work.text, &text_room, (size_t)count)
            && reserve(&work.plaintext, &plaintext_room, (size_t)count)
            && (decrypts ? decrypt_line : encrypt_line)(&work, line, (size_t)count);
    }
    free(line);
    free(work.message);
    free(work.text);
    free(work.plaintext);
    return is_right && fflush(stdout) == 0;
}
