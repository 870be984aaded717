// Loaded into the command with LD_PRELOAD: as it ends, all of its memory is searched for secrets.
//
//   NEEDLES=PATH       what is looked for, masked: lines "NAME HEX"
//   FOUND=PATH         where each that was found is named, and how many bytes were looked at
//   SECRET_RANDOM=HEX  masked: what OpenSSL's generator of secrets gives instead of random bytes
#define _GNU_SOURCE
#include "../CProbe/memory.c"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { MOST = 200 };

static uint8_t needles[MOST * N];
static char names[MOST][64];
static struct probe_hit hits[MOST];

static size_t unhex(const char *text, uint8_t *bytes, size_t capacity)
{
    size_t count = 0;
    unsigned byte;
    while (count < capacity && sscanf(text + 2 * count, "%2x", &byte) == 1)
        bytes[count++] = (uint8_t)byte;
    return count;
}

// After everything of the program, and of what it is linked with.
__attribute__((destructor(101))) static void search(void)
{
    const char *path = getenv("NEEDLES"), *found_path = getenv("FOUND");
    if (!path || !found_path)
        return;
    FILE *input = fopen(path, "re"), *output = fopen(found_path, "ae");
    size_t count = 0, scanned = 0;
    char hex[2 * N + 1];
    if (!input || !output)
        abort();
    while (count < MOST && fscanf(input, "%63s %32s", names[count], hex) == 2)
        if (unhex(hex, needles + count++ * N, N) != N)
            abort();
    const long found = probe_scan(needles, count, hits, MOST, &scanned);
    if (found < 0 || count == MOST || count == 0)
        abort();
    fprintf(output, "scanned %zu\n", scanned);
    for (long i = 0; i < found && i < MOST; i++)
        fprintf(output, "%s in %s\n", names[hits[i].needle], hits[i].region);
    fclose(input);
    fclose(output);
}

// The command would otherwise forbid what is looked at here.
int prctl(int option, ...)
{
    va_list list;
    va_start(list, option);
    unsigned long words[4];
    for (int i = 0; i < 4; i++)
        words[i] = va_arg(list, unsigned long);
    va_end(list);
    return option == PR_SET_DUMPABLE ? 0 : (int)syscall(SYS_prctl, option, words[0], words[1], words[2], words[3]);
}

int RAND_priv_bytes(unsigned char *bytes, int count)
{
    static int given;
    const char *text = getenv("SECRET_RANDOM");
    for (int i = 0; i < count; i++, given++) {
        uint8_t byte;
        if (!text || strlen(text) < 2 * (size_t)(given + 1) || unhex(text + 2 * given, &byte, 1) != 1)
            return 0;
        bytes[i] = byte ^ mask((size_t)given);
    }
    return 1;
}
