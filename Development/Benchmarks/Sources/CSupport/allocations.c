// A program may define malloc and its relatives itself. Those of glibc stay reachable under other names, and free
// accepts their memory. While nothing is counted, this costs a jump.
#include "CSupport.h"

#include <errno.h>
#include <stdlib.h>

static _Thread_local bool is_counting;
static _Thread_local struct support_allocations allocations;

void support_start_counting(void)
{
    allocations = (struct support_allocations){0};
    is_counting = true;
}

struct support_allocations support_stop_counting(void)
{
    is_counting = false;
    return allocations;
}

#if defined(__GLIBC__)

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

bool support_can_count_allocations(void)
{
    return true;
}

static inline void note(size_t bytes)
{
    if (!is_counting)
        return;
    allocations.count++;
    allocations.bytes += bytes;
}

void *malloc(size_t bytes)
{
    note(bytes);
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    note(count * bytes);
    return __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    note(bytes);
    return __libc_realloc(memory, bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
    note(bytes);
    return __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    void *allocated = memalign(alignment, bytes);
    if (!allocated)
        return ENOMEM;
    *memory = allocated;
    return 0;
}

#else

bool support_can_count_allocations(void)
{
    return false;
}

#endif
