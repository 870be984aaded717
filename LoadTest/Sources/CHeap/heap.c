#include "CHeap.h"

#if defined(__linux__)
#include <malloc.h>
#endif

size_t cheap_settle(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
    struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
#else
    return 0;
#endif
}
