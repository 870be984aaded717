#include "CSupport.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool copy(int source, int destination)
{
    static uint8_t buffer[256 * 1024];
    for (;;) {
        const ssize_t count = read(source, buffer, sizeof buffer);
        if (count <= 0)
            return count == 0 && fsync(destination) == 0;
        for (ssize_t offset = 0; offset < count;) {
            const ssize_t written = write(destination, buffer + offset, (size_t)(count - offset));
            if (written < 0)
                return false;
            offset += written;
        }
    }
}

bool support_copy(const char *source, const char *destination)
{
    const int input = open(source, O_RDONLY | O_CLOEXEC);
    const int output = open(destination, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const bool succeeded = input >= 0 && output >= 0 && copy(input, output);
    if (input >= 0)
        close(input);
    return (output < 0 || close(output) == 0) && succeeded;
}

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
