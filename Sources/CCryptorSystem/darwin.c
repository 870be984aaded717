#if defined(__APPLE__)

#include "CCryptorSystem.h"
#include <stdint.h>
#include <sys/acl.h>

const int ccryptor_nameless = 0;
const int ccryptor_search = O_SEARCH | O_DIRECTORY | O_CLOEXEC;
const int ccryptor_reference = 0;
const dev_t ccryptor_null_device = 3 << 24 | 2;

// fsync(2) leaves the bytes in the drive's own memory, which F_FULLFSYNC of fcntl(2) writes out.
// Network volumes know only the former, and pipes neither.
int ccryptor_synchronize(int file)
{
    if (fcntl(file, F_FULLFSYNC) == 0) return 0;
    const bool is_refused = errno == ENOTSUP || errno == EINVAL || errno == ENOTTY;
    return is_refused ? fsync(file) : -1;
}

int ccryptor_synchronize_all(int file) { return ccryptor_synchronize(file); }

int ccryptor_rename_unless_taken(int directory, const char *name, const char *other)
{
    return renameatx_np(directory, name, directory, other, RENAME_EXCL);
}

ssize_t ccryptor_write(int file, const void *bytes, size_t count)
{
    // The signal would go to the process and not to this thread, so it cannot be taken back here.
    const bool is_set = fcntl(file, F_GETNOSIGPIPE) == 0 && fcntl(file, F_SETNOSIGPIPE, 1) == 0;
    const ssize_t written = write(file, bytes, count);
    const int number = errno;
    if (is_set) (void)fcntl(file, F_SETNOSIGPIPE, 0);
    errno = number;
    return written;
}

// MARK: Access lists

ptrdiff_t ccryptor_access_list(int file, void *list, size_t capacity)
{
    const acl_t acl = acl_get_fd_np(file, ACL_TYPE_EXTENDED);
    if (acl == NULL) return errno == ENOENT || errno == ENOTSUP ? 0 : -1;
    const ssize_t count = acl_copy_ext(list, acl, (ssize_t)capacity);
    (void)acl_free(acl);
    return count;
}

int ccryptor_set_access_list(int file, const void *list, size_t count)
{
    const acl_t acl = count > 0 ? acl_copy_int(list) : acl_init(1);
    if (acl == NULL) return -1;
    const bool is_set = acl_set_fd_np(file, acl, ACL_TYPE_EXTENDED) == 0;
    const bool has_none = !is_set && count == 0 && errno == ENOTSUP;
    (void)acl_free(acl);
    return is_set || has_none ? 0 : -1;
}

bool ccryptor_list_adds_to_mode(int file)
{
    const acl_t acl = acl_get_fd_np(file, ACL_TYPE_EXTENDED);
    if (acl == NULL) return errno != ENOENT && errno != ENOTSUP;
    (void)acl_free(acl);
    return true;
}

// Entries that new files inherit are part of the access list.
bool ccryptor_has_default_list(int directory)
{
    (void)directory;
    return false;
}

int ccryptor_remove_default_list(int directory)
{
    (void)directory;
    return 0;
}

// MARK: Times

struct timespec ccryptor_file_clock(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    // Some file systems keep whole seconds.
    now.tv_nsec = 0;
    return now;
}

bool ccryptor_was_made_before(int file, struct timespec time)
{
    struct stat status;
    return fstat(file, &status) == 0 && status.st_birthtimespec.tv_sec < time.tv_sec;
}

// MARK: Processes and cores

// Every fork goes through the C library, which calls the handler.
static uint64_t word;
static bool is_watched;

static void forget(void) { word = 0; }

__attribute__((constructor)) static void watch_forks(void)
{
    is_watched = pthread_atfork(NULL, NULL, forget) == 0;
}

void *ccryptor_zeroed_by_fork(void) { return is_watched ? &word : NULL; }

int ccryptor_core_count(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }

#endif
