#include "contexts.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <string.h>

size_t baseline_message_bytes(size_t plaintext_bytes)
{
    return BASELINE_HEADER_BYTES + (plaintext_bytes / BASELINE_BLOCK_BYTES + 1) * BASELINE_BLOCK_BYTES
        + BASELINE_CODE_BYTES;
}

static bool start(uint8_t *message)
{
    message[0] = 3;
    message[1] = 0;
    return RAND_bytes(message + 2, BASELINE_BLOCK_BYTES) == 1;
}

static bool has_shape(const uint8_t *message, size_t count)
{
    return count >= BASELINE_HEADER_BYTES + BASELINE_BLOCK_BYTES + BASELINE_CODE_BYTES
        && (count - BASELINE_HEADER_BYTES - BASELINE_CODE_BYTES) % BASELINE_BLOCK_BYTES == 0 && message[0] == 3
        && message[1] == 0;
}

bool baseline_encrypt(struct baseline *baseline, const uint8_t *plaintext, size_t count, uint8_t *message)
{
    uint8_t *ciphertext = message + BASELINE_HEADER_BYTES;
    int first, last;
    size_t code_bytes;
    if (!start(message) || EVP_CipherInit_ex(baseline->encryption, NULL, NULL, NULL, message + 2, -1) != 1
        || EVP_EncryptUpdate(baseline->encryption, ciphertext, &first, plaintext, (int)count) != 1
        || EVP_EncryptFinal_ex(baseline->encryption, ciphertext + first, &last) != 1)
        return false;
    uint8_t *code = ciphertext + first + last;
    return EVP_MAC_init(baseline->authentication, NULL, 0, NULL) == 1
        && EVP_MAC_update(baseline->authentication, message, (size_t)(code - message)) == 1
        && EVP_MAC_final(baseline->authentication, code, &code_bytes, BASELINE_CODE_BYTES) == 1;
}

bool baseline_decrypt(
    struct baseline *baseline, const uint8_t *message, size_t count, uint8_t *plaintext, size_t *plaintext_count)
{
    if (!has_shape(message, count))
        return false;
    const uint8_t *ciphertext = message + BASELINE_HEADER_BYTES;
    const uint8_t *code = message + count - BASELINE_CODE_BYTES;
    uint8_t expected[BASELINE_CODE_BYTES];
    size_t code_bytes;
    int first, last;
    if (EVP_MAC_init(baseline->authentication, NULL, 0, NULL) != 1
        || EVP_MAC_update(baseline->authentication, message, (size_t)(code - message)) != 1
        || EVP_MAC_final(baseline->authentication, expected, &code_bytes, sizeof expected) != 1
        || CRYPTO_memcmp(expected, code, sizeof expected) != 0
        || EVP_CipherInit_ex(baseline->decryption, NULL, NULL, NULL, message + 2, -1) != 1
        || EVP_DecryptUpdate(baseline->decryption, plaintext, &first, ciphertext, (int)(code - ciphertext)) != 1
        || EVP_DecryptFinal_ex(baseline->decryption, plaintext + first, &last) != 1)
        return false;
    *plaintext_count = (size_t)first + (size_t)last;
    return true;
}

bool baseline_holds(
    struct baseline *baseline, const uint8_t *message, size_t count, size_t header_bytes, const uint8_t *plaintext,
    size_t plaintext_count)
{
    if (count != baseline_message_bytes(plaintext_count) - BASELINE_HEADER_BYTES + header_bytes)
        return false;
    const size_t authenticated = count - BASELINE_CODE_BYTES;
    const uint8_t *iv = message + header_bytes - BASELINE_BLOCK_BYTES;
    enum { PIECE = 64 * 1024 };
    uint8_t expected[BASELINE_CODE_BYTES];
    uint8_t piece[PIECE + BASELINE_BLOCK_BYTES];
    size_t code_bytes, position = 0;
    int written;
    if (EVP_MAC_init(baseline->authentication, NULL, 0, NULL) != 1
        || EVP_MAC_update(baseline->authentication, message, authenticated) != 1
        || EVP_MAC_final(baseline->authentication, expected, &code_bytes, sizeof expected) != 1
        || CRYPTO_memcmp(expected, message + authenticated, sizeof expected) != 0
        || EVP_CipherInit_ex(baseline->decryption, NULL, NULL, NULL, iv, -1) != 1)
        return false;
    for (size_t offset = header_bytes; offset < authenticated;) {
        const size_t length = authenticated - offset < PIECE ? authenticated - offset : PIECE;
        if (EVP_DecryptUpdate(baseline->decryption, piece, &written, message + offset, (int)length) != 1
            || position + (size_t)written > plaintext_count
            || memcmp(piece, plaintext + position, (size_t)written) != 0)
            return false;
        position += (size_t)written;
        offset += length;
    }
    return EVP_DecryptFinal_ex(baseline->decryption, piece, &written) == 1
        && position + (size_t)written == plaintext_count && memcmp(piece, plaintext + position, (size_t)written) == 0;
}
