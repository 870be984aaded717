// Loaded with LD_PRELOAD. Acts as a system without random numbers: a filter refuses getrandom(2), also to programs that
// this one executes, and there is no /dev/urandom.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define NEXT(NAME) ((__typeof__(&NAME))dlsym(RTLD_NEXT, #NAME))

__attribute__((constructor)) static void begin(void)
{
    struct sock_filter refusal[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof refusal / sizeof *refusal, refusal};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        abort();
}

#define OPEN(NAME)                                                   \
    int NAME(const char *path, int flags, ...)                       \
    {                                                                \
        va_list list;                                                \
        va_start(list, flags);                                       \
        const mode_t mode = va_arg(list, mode_t);                    \
        va_end(list);                                                \
        if (strstr(path, "random") || strcmp(path, "/dev/hwrng") == 0) { \
            errno = ENOENT;                                          \
            return -1;                                               \
        }                                                            \
        return NEXT(NAME)(path, flags, mode);                        \
    }
OPEN(open)
OPEN(open64)
