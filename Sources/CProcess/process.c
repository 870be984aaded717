// prctl(2) takes any number of arguments, so Swift cannot call it.
#include "CProcess.h"

#include <sys/resource.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

bool cprocess_forbid_dumps(void)
{
    const struct rlimit none = {0, 0};
    bool done = setrlimit(RLIMIT_CORE, &none) == 0;
#if defined(__linux__)
    done = prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 && done;
#endif
    return done;
}
