// Loaded into a program with LD_PRELOAD. Says on standard error if OpenSSL registers its cleanup at
// exit.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

int __cxa_atexit(void (*function)(void *), void *argument, void *object)
{
    int (*const next)(void (*)(void *), void *, void *) =
        (__typeof__(next))dlsym(RTLD_NEXT, "__cxa_atexit");
    Dl_info name;
    if (dladdr((void *)function, &name) && name.dli_sname &&
        strcmp(name.dli_sname, "OPENSSL_cleanup") == 0) {
        static const char text[] = "OpenSSL cleans up at exit\n";
        if (write(2, text, sizeof text - 1) < 0) return -1;
    }
    return next(function, argument, object);
}
