// Loaded with LD_PRELOAD: a system at its limit of threads. The first THREADS of them start, and no other.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define NEXT(NAME) ((__typeof__(&NAME))dlsym(RTLD_NEXT, #NAME))

static atomic_long asked;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    const char *limit = getenv("THREADS");
    if (!limit || atomic_fetch_add(&asked, 1) >= atol(limit))
        return EAGAIN;
    return NEXT(pthread_create)(thread, attributes, body, argument);
}
