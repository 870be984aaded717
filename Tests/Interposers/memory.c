// Loaded into the command with LD_PRELOAD. Searches all of its memory for secrets as it ends, and
// before that each piece of memory as it is freed, because its next owner may happen to overwrite
// it.
//
//   NEEDLES=PATH       the masked needles: lines "NAME HEX"
//   FOUND=PATH         a file that names each needle that was found, and says how many bytes were
//                      searched
//   SECRET_RANDOM=HEX  masked bytes that OpenSSL's generator of secrets returns instead of random
//                      ones
#define _GNU_SOURCE
#include "../CCryptorProbe/memory.c"

#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 200 };

static uint8_t needles[MOST * N];
static char names[MOST][64];
static struct probe_hit hits[MOST];
static size_t needle_count;
static atomic_bool is_ready;
static atomic_int freed[MOST];

void *__libc_realloc(void *memory, size_t count);
void __libc_free(void *memory);

static size_t unhex(const char *text, uint8_t *bytes, size_t capacity)
{
    size_t count = 0;
    unsigned byte;
    while (count < capacity && sscanf(text + 2 * count, "%2x", &byte) == 1)
        bytes[count++] = (uint8_t)byte;
    return count;
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("NEEDLES");
    FILE *input = path ? fopen(path, "re") : NULL;
    char hex[2 * N + 1];
    if (!input)
        return;
    while (needle_count < MOST && fscanf(input, "%63s %32s", names[needle_count], hex) == 2) {
        uint8_t *needle = needles + needle_count * N;
        if (unhex(hex, needle, N) != N)
            abort();
        begins[(needle[0] ^ mask(0)) << 8 | (needle[1] ^ mask(1))] = true;
        needle_count++;
    }
    fclose(input);
    if (needle_count == MOST || needle_count == 0)
        abort();
    atomic_store(&is_ready, true);
}

static void look_at(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i + N <= count; i++)
        if (begins[bytes[i] << 8 | bytes[i + 1]])
            for (size_t n = 0; n < needle_count; n++)
                if (matches(bytes + i, needles + n * N))
                    atomic_fetch_add(&freed[n], 1);
}

void free(void *memory)
{
    if (memory && atomic_load(&is_ready))
        look_at(memory, malloc_usable_size(memory));
    __libc_free(memory);
}

// The C library's realloc might leave the old memory behind unseen. This one copies by hand, and
// `free` looks at the old memory.
void *realloc(void *memory, size_t count)
{
    const size_t before = memory ? malloc_usable_size(memory) : 0;
    if (!memory || count == 0 || count <= before || !atomic_load(&is_ready))
        return __libc_realloc(memory, count);
    void *other = malloc(count);
    if (!other)
        return NULL;
    memcpy(other, memory, before);
    free(memory);
    return other;
}

// Runs after everything else in the program and in the libraries that it is linked with.
__attribute__((destructor(101))) static void search(void)
{
    const char *found_path = getenv("FOUND");
    if (!atomic_exchange(&is_ready, false) || !found_path)
        return;
    FILE *output = fopen(found_path, "ae");
    size_t scanned = 0;
    const long found = probe_scan(needles, needle_count, hits, MOST, &scanned);
    if (found < 0 || !output)
        abort();
    fprintf(output, "scanned %zu\n", scanned);
    for (size_t n = 0; n < needle_count; n++)
        if (atomic_load(&freed[n]) > 0)
            fprintf(output, "%s in what was freed\n", names[n]);
    for (long i = 0; i < found && i < MOST; i++)
        fprintf(output, "%s in %s\n", names[hits[i].needle], hits[i].region);
    fclose(output);
}

// A signal that ends the process runs no destructors; one that stops it ends nothing.
int raise(int number)
{
    if (number != SIGTSTP && number != SIGTTIN && number != SIGTTOU)
        search();
    return (int)syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
}

// The command would otherwise forbid that its memory is read, even by itself.
int prctl(int option, ...)
{
    va_list list;
    va_start(list, option);
    unsigned long words[4];
    for (int i = 0; i < 4; i++)
        words[i] = va_arg(list, unsigned long);
    va_end(list);
    if (option == PR_SET_DUMPABLE)
        return 0;
    return (int)syscall(SYS_prctl, option, words[0], words[1], words[2], words[3]);
}

int RAND_priv_bytes(unsigned char *bytes, int count)
{
    static int given;
    const char *text = getenv("SECRET_RANDOM");
    for (int i = 0; i < count; i++, given++) {
        uint8_t byte;
        if (!text || strlen(text) < 2 * (size_t)(given + 1))
            return 0;
        if (unhex(text + 2 * given, &byte, 1) != 1)
            return 0;
        bytes[i] = byte ^ mask((size_t)given);
    }
    return 1;
}
