// What Swift's module of glibc leaves out.
#if defined(__linux__)
#include <malloc.h>
#endif
