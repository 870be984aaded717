// For an emulator of 64-bit ARM: run.py builds and runs this with CPBKDF2Lanes.
#include "CCryptorProbe.h"
#include "CPBKDF2Lanes.h"
#include "lanes.h"
#include <arm_neon.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#pragma clang attribute push(__attribute__((target("sha2"))), apply_to = function)
#include "arm.h"
#pragma clang attribute pop

static const struct {
    enum cpbkdf2_path path;
    const char *name;
} paths[] = {
    {cpbkdf2_portable, "portable"}, {cpbkdf2_arm, "arm"}, {cpbkdf2_automatic, "automatic"}};

// Random operands, and the results of all instructions.
static void writeInstructions(void)
{
    uint64_t state = 1;
    for (int round = 0; round < 200; round++) {
        uint32_t operands[3][4], results[ARM_INSTRUCTIONS][4];
        for (int i = 0; i < 12; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            operands[i / 4][i % 4] = (uint32_t)(state >> 32);
        }
        computeOnARM(operands[0], operands[1], operands[2], results);
        fwrite(operands, sizeof operands, 1, stdout);
        fwrite(results, sizeof results, 1, stdout);
    }
}

// The keys of 1 to 16 requests on each path, as run.py asks OpenSSL for them.
static void printKeys(void)
{
    uint8_t passwords[16][96], salts[16][8], keys[16][CPBKDF2_KEY_BYTES];
    struct cpbkdf2_request requests[16];
    for (size_t i = 0; i < 16; i++) {
        memset(passwords[i], (int)i + 1, sizeof passwords[i]);
        memset(salts[i], (int)(0xFF - i), sizeof salts[i]);
        requests[i] = (struct cpbkdf2_request){passwords[i], 6 * i, salts[i], 8, keys[i]};
    }
    for (size_t path = 0; path < sizeof paths / sizeof *paths; path++)
        for (size_t count = 1; count <= 16; count++) {
            memset(keys, 0, sizeof keys);
            cpbkdf2_derive(paths[path].path, requests, count, 100);
            printf("%s %zu ", paths[path].name, count);
            for (size_t i = 0; i < count * CPBKDF2_KEY_BYTES; i++)
                printf("%02x", keys[i / CPBKDF2_KEY_BYTES][i % CPBKDF2_KEY_BYTES]);
            printf("\n");
        }
}

// The vector registers that hold something after a derivation.
static void printRegisters(void)
{
    for (size_t path = 0; path < sizeof paths / sizeof *paths; path++)
        for (size_t count = 1; count <= 16; count++) {
            uint8_t registers[PROBE_REGISTER_BYTES], none[16] = {0};
            if (!probe_registers_after_lanes(paths[path].path, count, registers))
                printf("%s %zu: cannot be seen\n", paths[path].name, count);
            for (int i = 0; i < 32; i++)
                if (memcmp(registers + 16 * i, none, 16) != 0)
                    printf("%s %zu: v%d\n", paths[path].name, count, i);
        }
}

static const uint8_t password[65] =
    "a password that is sought afterwards, as long as a block of SHA1";
static const uint8_t salt[9] = "8 bytes.";

static struct derivation {
    enum cpbkdf2_path path;
    size_t count;
    uint8_t keys[16][CPBKDF2_KEY_BYTES];
} derivation;

// Derives keys with more of the stack above than a thread uses as it ends.
static void *deriveDeeply(void *unused)
{
    volatile uint8_t above[1 << 16];
    struct cpbkdf2_request requests[16];
    for (size_t i = 0; i < derivation.count; i++)
        requests[i] = (struct cpbkdf2_request){password, 64, salt, 8, derivation.keys[i]};
    above[0] = 1;
    cpbkdf2_derive(derivation.path, requests, derivation.count, 2);
    above[0] = 2;
    return unused;
}

// Adds words to `secrets`, in both byte orders. Returns how many there are then.
static size_t addWords(uint32_t *secrets, size_t count, const void *words, size_t size)
{
    for (size_t i = 0; i < size / 4; i++) {
        uint32_t word;
        memcpy(&word, (const uint8_t *)words + 4 * i, 4);
        secrets[count++] = word;
        secrets[count++] = __builtin_bswap32(word);
    }
    return count;
}

// The secrets that a derivation leaves on the stack: words of the key, and of what leads to it.
static void printStack(void)
{
    static _Alignas(4096) uint8_t stack[1 << 20];
    uint32_t secrets[100], digest[5];
    struct keyed_states states;
    cpbkdf2_key(&states, password, 64);
    size_t secretCount = addWords(secrets, 0, &states, sizeof states);
    secretCount = addWords(secrets, secretCount, password, 64);
    for (uint32_t block = 1; block <= 2; block++) {
        cpbkdf2_first(digest, &states, salt, 8, block);
        secretCount = addWords(secrets, secretCount, digest, sizeof digest);
    }
    for (size_t path = 0; path < sizeof paths / sizeof *paths; path++)
        for (size_t count = 1; count <= 16; count++) {
            derivation.path = paths[path].path;
            derivation.count = count;
            memset(stack, 0, sizeof stack);
            pthread_attr_t attributes;
            pthread_t thread;
            if (pthread_attr_init(&attributes) != 0
                || pthread_attr_setstack(&attributes, stack, sizeof stack) != 0
                || pthread_create(&thread, &attributes, deriveDeeply, NULL) != 0
                || pthread_join(thread, NULL) != 0) {
                printf("no thread\n");
                return;
            }
            const size_t all = addWords(secrets, secretCount, derivation.keys[0], 32);
            for (size_t i = 0; i < sizeof stack; i += 4)
                for (size_t secret = 0; secret < all; secret++)
                    if (memcmp(stack + i, &secrets[secret], 4) == 0)
                        printf("%s %zu: %08x\n", paths[path].name, count, secrets[secret]);
        }
}

int main(int count, char **arguments)
{
    if (!cpbkdf2_is_available(cpbkdf2_arm))
        return 1;
    const char *work = count > 1 ? arguments[1] : "";
    if (strcmp(work, "instructions") == 0)
        writeInstructions();
    if (strcmp(work, "keys") == 0)
        printKeys();
    if (strcmp(work, "registers") == 0)
        printRegisters();
    if (strcmp(work, "stack") == 0)
        printStack();
    return 0;
}
