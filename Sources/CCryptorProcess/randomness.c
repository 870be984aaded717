// Swift asks the system for random numbers while it is loaded, before main, and ends the process by SIGABRT if there
// are none: a filter of system calls might not know getrandom(2), and a container might lack /dev/urandom. So the
// command asks first.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sysexits.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

// A sanitizer is not ready for calls so early.
#if defined(__linux__) && !defined(HAS_SANITIZER)
#include <sys/syscall.h>

static bool has_randomness(void)
{
    unsigned char byte;
    ssize_t count;
    do {
        count = syscall(SYS_getrandom, &byte, sizeof byte, 0);
    } while (count < 0 && errno == EINTR);
    if (count == 1) return true;
    const int device = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (device < 0) return false;
    do {
        count = read(device, &byte, sizeof byte);
    } while (count < 0 && errno == EINTR);
    close(device);
    return count == 1;
}

static void require_randomness(void)
{
    if (has_randomness()) return;
    static const char sentence[] = "rncryptor: error: The system gives no random bytes: getrandom(2) is refused, and "
                                   "/dev/urandom cannot be read.\n";
    const bool is_said = write(STDERR_FILENO, sentence, sizeof sentence - 1) > 0;
    (void)is_said;
    _exit(EX_SOFTWARE);
}

#if defined(__GLIBC__)
// Functions in this section run before any code of the libraries.
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = require_randomness;
#else
// This is the first constructor of all code that is linked into the command, which may include Swift's.
__attribute__((constructor(101))) static void first(void) { require_randomness(); }
#endif
#endif
