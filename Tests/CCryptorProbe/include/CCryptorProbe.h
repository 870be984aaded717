// What a test cannot do in Swift, or not in the process that runs the tests.
#ifndef CPROBE_H
#define CPROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Calls `body` in a child of this process, and ends the child. Returns its number, or -1.
pid_t probe_fork(void (*body)(void *), void *context);
#ifdef __linux__
// From now on getpid(2) says the same in this process and in what it forks, as in PID namespaces.
void probe_keep_pid(void);
#endif
// Waits for a child. Returns its exit status, minus the signal that ended it, or -1000.
int probe_wait(pid_t child);

#ifdef __linux__
// What pread(2) does on this thread from now on: it gives at most so many bytes, or fails with this error; 0 for neither.
void probe_read_badly(size_t most_bytes, int error);
#endif

// Secrets that are looked for are kept masked, or the search would find its own.
#define PROBE_NEEDLE_BYTES 16
void probe_mask(uint8_t *bytes, size_t count);
void probe_cleanse(void *bytes, size_t count);

struct probe_hit {
    size_t needle;
    uintptr_t address;
    char region[48];
};
// Looks for masked needles in all memory of this process that can be written. Returns the number of hits, of which at most
// `capacity` are noted, or -1.
long probe_scan(
    const uint8_t *masked, size_t needles, struct probe_hit *hits, size_t capacity, size_t *scanned_bytes);

// The state of a hash after one block, in the words of this processor.
void probe_sha256_state(const uint8_t block[64], uint32_t state[8]);
void probe_sha1_state(const uint8_t block[64], uint32_t state[5]);

// Stands between OpenSSL and its memory, if OpenSSL has none yet.
bool probe_watch_allocations(void);
// From now on, the allocation of this number fails, and perhaps all after it; with 0, none.
void probe_fail_allocation(long number, bool all_after);
// How many there were since then.
long probe_allocations(void);

#if defined(__x86_64__)
// The 32 vector registers of AVX-512 as `cpbkdf2_derive` leaves them that were all zero before: on this path, for at most 16
// keys. False if this processor does not have them.
#define PROBE_REGISTER_BYTES 2048
bool probe_registers_after_lanes(int path, size_t count, uint8_t registers[PROBE_REGISTER_BYTES]);
#endif

// Under Valgrind, memory that nothing may branch on, nor use as an address; and what may be used again.
bool probe_is_checked(void);
void probe_mark_secret(const void *bytes, size_t count);
void probe_mark_public(const void *bytes, size_t count);

// Puts a reason of the embedding program, with this number, file, line and text, into OpenSSL's queue of this thread.
void probe_raise(int number);
void probe_mark_errors(void);
bool probe_pop_to_mark(void);
// Takes the oldest reason. Returns the number that it was raised with, -1 if it is another or not whole, 0 if there is none.
int probe_take_error(void);

// Turns FIPS mode on or off for the process, as a program does at any time.
bool probe_set_fips(bool is_on);

// What must be caught: a branch and an index that depend on the bytes.
int probe_leaky_compare(const uint8_t *left, const uint8_t *right, size_t count);
int probe_leaky_index(const uint8_t *bytes, size_t count);

#endif
