// Loaded with LD_PRELOAD. Acts as a system at its limit of threads: the first THREADS of them
// start, and no others. At the end, the file THREADS_NOTE says how many threads were asked for.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define NEXT(NAME) ((__typeof__(&NAME))dlsym(RTLD_NEXT, #NAME))

static atomic_long asked;

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("THREADS_NOTE");
    FILE *file = path ? fopen(path, "we") : NULL;
    if (!file)
        return;
    fprintf(file, "%ld", atomic_load(&asked));
    fclose(file);
}

int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    const char *limit = getenv("THREADS");
    if (!limit || atomic_fetch_add(&asked, 1) >= atol(limit))
        return EAGAIN;
    return NEXT(pthread_create)(thread, attributes, body, argument);
}
