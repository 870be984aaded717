// Most of Swift's Mutex is compiled into the code that uses it, where ThreadSanitizer sees it. It does not see the way
// through the kernel, for a lock that another thread holds: that is in a library built without the sanitizer. In a
// program that is linked with this file, these functions come before those of the library: each calls the real one, and
// tells ThreadSanitizer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *mutex

void __tsan_acquire(void *address);
void __tsan_release(void *address);

static struct {
    SWIFT void (*lock)(uint32_t thread, SELF);
    SWIFT bool (*try_lock)(SELF);
    SWIFT void (*unlock)(SELF);
} real;

__attribute__((constructor)) static void find_functions(void)
{
    real.lock = dlsym(RTLD_NEXT, LOCK);
    real.try_lock = dlsym(RTLD_NEXT, TRY_LOCK);
    real.unlock = dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void lock(uint32_t thread, SELF)
{
    real.lock(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT bool try_lock(SELF) __asm__(TRY_LOCK);
SWIFT bool try_lock(SELF)
{
    const bool is_locked = real.try_lock(mutex);
    if (is_locked)
        __tsan_acquire(mutex);
    return is_locked;
}

SWIFT void unlock(SELF) __asm__(UNLOCK);
SWIFT void unlock(SELF)
{
    __tsan_release(mutex);
    real.unlock(mutex);
}
