#define _GNU_SOURCE
#include "CCryptorProbe.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint8_t mask(size_t index)
{
    return (uint8_t)(0xA5 ^ index * 73);
}

// Masks byte by byte: vector registers would keep a part of the secret, and code that saves
// registers would put it on the stack.
void probe_mask(uint8_t *bytes, size_t count)
{
    volatile uint8_t *byte = bytes;
    for (size_t i = 0; i < count; i++)
        byte[i] ^= mask(i);
}

void probe_cleanse(void *bytes, size_t count)
{
    volatile uint8_t *byte = bytes;
    while (count-- > 0)
        *byte++ = 0;
}

#if defined(__linux__)

#define N PROBE_NEEDLE_BYTES

// The memory that the search reads into may hold a needle. The search skips it, and cleanses it at
// the end.
static uint8_t window[1 << 16];
// Whether a needle begins with these two bytes.
static bool begins[1 << 16];

static bool matches(const uint8_t *bytes, const uint8_t *masked)
{
    for (size_t i = 0; i < N; i++)
        if ((bytes[i] ^ mask(i)) != masked[i])
            return false;
    return true;
}

long probe_scan(
    const uint8_t *masked, size_t needles, struct probe_hit *hits, size_t capacity,
    size_t *scanned_bytes)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    char line[512];
    long found = 0;
    *scanned_bytes = 0;
    if (!maps || memory < 0)
        return -1;
    for (size_t n = 0; n < needles; n++)
        begins[(masked[n * N] ^ mask(0)) << 8 | (masked[n * N + 1] ^ mask(1))] = true;
    while (fgets(line, sizeof line, maps)) {
        uintptr_t start, end;
        char permissions[5], name[256] = "";
        if (sscanf(line, "%lx-%lx %4s %*s %*s %*s %255[^\n]", &start, &end, permissions, name) < 3)
            return -1;
        if (permissions[0] != 'r' || permissions[1] != 'w')
            continue;
        for (uintptr_t at = start; at + N <= end;) {
            const size_t wanted = end - at < sizeof window ? end - at : sizeof window;
            const ssize_t count = pread(memory, window, wanted, (off_t)at);
            if (count < N)
                break;
            *scanned_bytes += (size_t)count;
            for (size_t i = 0; i + N <= (size_t)count; i++) {
                if (!begins[window[i] << 8 | window[i + 1]])
                    continue;
                const uintptr_t address = at + i;
                if (address + N > (uintptr_t)window
                    && address < (uintptr_t)(window + sizeof window))
                    continue;
                for (size_t n = 0; n < needles; n++) {
                    if (!matches(window + i, masked + n * N))
                        continue;
                    if ((size_t)found < capacity) {
                        hits[found].needle = n;
                        hits[found].address = address;
                        snprintf(hits[found].region, sizeof hits[found].region, "%.30s+%#lx",
                            name[0] ? name : "anonymous", address - start);
                    }
                    found++;
                }
            }
            if (at + (size_t)count >= end)
                break;
            at += (size_t)count - (N - 1);
        }
    }
    probe_cleanse(window, sizeof window);
    fclose(maps);
    close(memory);
    return found;
}

#else

long probe_scan(
    const uint8_t *masked, size_t needles, struct probe_hit *hits, size_t capacity,
    size_t *scanned_bytes)
{
    (void)masked, (void)needles, (void)hits, (void)capacity, (void)scanned_bytes;
    return -1;
}

#endif
