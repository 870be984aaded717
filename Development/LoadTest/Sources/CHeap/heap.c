#include "CHeap.h"

#if defined(__linux__)
#include <malloc.h>
#endif

void cheap_prepare(void) {
#if defined(__GLIBC__)
    // Each of these also stops malloc from moving them by what it sees.
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    mallopt(M_TRIM_THRESHOLD, 128 * 1024);
#endif
}

size_t cheap_settle(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
    struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
#else
    return 0;
#endif
}
