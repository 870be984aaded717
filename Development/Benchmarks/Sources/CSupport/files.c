#include "CSupport.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const uint8_t *support_map(const char *path, size_t *count)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *bytes = MAP_FAILED;
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0) {
        *count = (size_t)status.st_size;
        bytes = mmap(NULL, *count, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (file >= 0)
        close(file);
    return bytes == MAP_FAILED ? NULL : bytes;
}

void support_unmap(const uint8_t *bytes, size_t count)
{
    munmap((void *)bytes, count);
}
