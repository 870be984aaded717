// What a test cannot do in Swift, or must not do in the process that runs the tests.
#ifndef CPROBE_H
#define CPROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// From now on, `body` is called before each fork(2), and after it in the parent and in the child
// (pthread_atfork(3)).
void probe_call_at_forks(void (*body)(void));

// Calls `body` in a child of this process, and then ends the child. Returns the child's process ID,
// or -1 for failure.
pid_t probe_fork(void (*body)(void *), void *context);
// Like fork(2). An alarm ends a child that hangs.
pid_t probe_fork_here(void);
#ifdef __linux__
// From now on, getpid(2) returns the same number in this process and its children, as it may across
// PID namespaces.
void probe_keep_pid(void);
// From now on, madvise(2) refuses pages that are wiped at a fork, as old kernels do.
void probe_refuse_wiping(void);
// The number of keys that PBKDF2 has derived on this thread in pairs or more pairs together: each
// time it cleanses the memory in which it derived them. OpenSSL may cleanse as many bytes of its
// own when it sets up a context.
long probe_derived_keys(void);
// For how many messages these were derived together, each time since the last call. Fewer than
// eight are left out: OpenSSL cleanses up to 448 bytes of its own.
#define PROBE_FEWEST_IN_BATCH 8
size_t probe_take_batches(size_t counts[16]);
// The address and the length that OPENSSL_cleanse was last given on this thread.
const void *probe_last_cleansed(size_t *count);
#endif
// Waits for a child. Returns its exit status, the negated number of the signal that ended it, or
// -1000 for failure.
int probe_wait(pid_t child);

// Uses OpenSSL as a program may that embeds the library: OpenSSL then cleans up at the exit of the
// process.
void probe_use_openssl(void);
// The program itself has OpenSSL clean up at its exit.
void probe_clean_up_openssl_at_exit(void);

// Lets two files change places in one step (renameat2(2)). Returns false for a failure.
bool probe_exchange(const char *path, const char *other);

// Whether openat(2) refuses files without names (O_TMPFILE) on this thread, as in some file
// systems.
void probe_refuse_nameless(bool is_refused);

// Secrets that a search looks for are kept masked. Otherwise the search would find its own copies.
#define PROBE_NEEDLE_BYTES 16
void probe_mask(uint8_t *bytes, size_t count);
void probe_cleanse(void *bytes, size_t count);

struct probe_hit {
    size_t needle;
    uintptr_t address;
    char region[48];
};
// Searches all writable memory of this process for masked needles. Returns the number of hits, or
// -1 for failure. At most `capacity` hits are noted.
long probe_scan(
    const uint8_t *masked, size_t needles, struct probe_hit *hits, size_t capacity,
    size_t *scanned_bytes);

// The state of a hash after one block, in the processor's byte order.
void probe_sha256_state(const uint8_t block[64], uint32_t state[8]);
void probe_sha1_state(const uint8_t block[64], uint32_t state[5]);

// Replaces OpenSSL's memory functions. Returns false if OpenSSL has allocated memory already.
bool probe_watch_allocations(void);
// Counts allocations from 1 again. The one with this number fails, and with `all_after` all later
// ones; with 0, none does.
void probe_fail_allocation(long number, bool all_after);
// The number of allocations since that call.
long probe_allocations(void);

// Adds a provider called "other" to this thread's default library context and loads it. It is
// OpenSSL's default provider, and counts how many keys its PBKDF2 derives. Without `has_copies`,
// its HMAC contexts cannot be duplicated. Returns false for failure.
bool probe_load_other_provider(bool has_copies);
long probe_other_derivations(void);
// Gives this thread a new default library context.
bool probe_use_own_library_context(void);
// Sets the default properties of the default library context.
bool probe_set_default_properties(const char *properties);

// Clears the 32 vector registers of AVX-512 or of 64-bit ARM, derives at most 16 keys on this path,
// and copies what `cpbkdf2_derive` leaves in the registers. Returns false if this processor does
// not have them.
#if defined(__x86_64__)
#define PROBE_REGISTER_BYTES 2048
#elif defined(__aarch64__)
#define PROBE_REGISTER_BYTES 512
#endif
#ifdef PROBE_REGISTER_BYTES
bool probe_registers_after_lanes(int path, size_t count, uint8_t registers[PROBE_REGISTER_BYTES]);
#endif

// Under Valgrind, no branch and no address may depend on bytes that are marked secret, until they
// are marked public.
bool probe_is_checked(void);
void probe_mark_secret(const void *bytes, size_t count);
void probe_mark_public(const void *bytes, size_t count);

// Whether these tests were built with a sanitizer. Only C can ask the compiler.
bool probe_has_address_sanitizer(void);
bool probe_has_thread_sanitizer(void);
bool probe_has_undefined_behavior_sanitizer(void);
// Lets LeakSanitizer look for leaked memory and report it. Returns whether there is any.
bool probe_finds_leaks(void);
// Reads a number at an address that is not a multiple of its size, which UndefinedBehaviorSanitizer
// reports.
int probe_read_misaligned(const char *bytes);

// Leaks that a check must catch: a branch and an index that depend on the bytes.
int probe_leaky_compare(const uint8_t *left, const uint8_t *right, size_t count);
int probe_leaky_index(const uint8_t *bytes, size_t count);

#endif
