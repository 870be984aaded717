// The C library under one name on every system, for Swift, whose modules of it have different names
// and leave out macros, functions with variable arguments, and some calls of Linux.
#ifndef CCRYPTOR_SYSTEM_H
#define CCRYPTOR_SYSTEM_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#if !defined(__linux__) && !defined(__APPLE__)
#error "CryptorFormat knows Linux and Darwin."
#endif

int ccryptor_errno(void);
void ccryptor_clear_errno(void);
int ccryptor_openat(int directory, const char *name, int flags, mode_t mode);

// Like F_DUPFD_CLOEXEC and F_GETFL of fcntl(2).
int ccryptor_duplicate(int file, int lowest);
int ccryptor_flags(int file);

// Like write(2), but a reader that has gone and a limit that is reached are errors only, EPIPE and
// EFBIG: this thread gets no SIGPIPE and no SIGXFSZ for them, and nothing else about the signals of
// the process changes. On Darwin SIGXFSZ comes, and for SIGPIPE the descriptor is set not to raise
// it (F_SETNOSIGPIPE) during the call; of two threads that write to one pipe, the first that is
// done takes that away again.
ssize_t ccryptor_write(int file, const void *bytes, size_t count);

// Like strerror_r(3) of POSIX.
int ccryptor_error_text(int number, char *text, size_t capacity);

// Like pthread_create(3).
int ccryptor_start_thread(void *(*body)(void *), void *argument);

// A number of this thread from 1 on, in the order in which they first ask, so that each starts at a
// slot of its own.
ptrdiff_t ccryptor_thread_number(void);

// Between these two calls the process does not fork: fork(2) waits in another thread, and then
// these wait for it (pthread_atfork(3)). So no child is left with a lock of another library that a
// thread of its parent held.
void ccryptor_hold_forks(void);
void ccryptor_release_forks(void);

// Memory for eight bytes that are zero at first and in each child of a fork; NULL if there is no
// way to have that.
void *ccryptor_zeroed_by_fork(void);

// Flags of open(2): for a file without a name, for a directory that is searched and not read, and
// of a descriptor that is neither read nor written. 0 where there is no such thing. The device of
// null(4).
extern const int ccryptor_nameless;
extern const int ccryptor_search;
extern const int ccryptor_reference;
extern const dev_t ccryptor_null_device;

// Like rename(2) within one directory, but fails with EEXIST if the name is taken; with ENOSYS,
// EINVAL or ENOTSUP where that cannot be had.
int ccryptor_rename_unless_taken(int directory, const char *name, const char *other);

// Writes a file to the disk, as durably as the system can. The other writes the entire file system
// that the file is in, where there is a call for it.
int ccryptor_synchronize(int file);
int ccryptor_synchronize_all(int file);

// The access list of an open file, in the system's own form: its size, 0 if there is none, -1 if
// there may be one. And sets one, or removes it if `count` is 0.
ptrdiff_t ccryptor_access_list(int file, void *list, size_t capacity);
int ccryptor_set_access_list(int file, const void *list, size_t count);

// Whether an open file has, or may have, a list that gives rights beyond the mode.
bool ccryptor_list_adds_to_mode(int file);

// Whether an open directory has, or may have, a list that it gives to what is made in it, apart
// from its access list. And removes it.
bool ccryptor_has_default_list(int directory);
int ccryptor_remove_default_list(int directory);

// The time now, by the clock that gives files their times. And whether the file system tells that
// an open file was made before a time.
struct timespec ccryptor_file_clock(void);
bool ccryptor_was_made_before(int file, struct timespec time);

// The number of cores that this thread may use: sched_getaffinity(2) on Linux, those of the machine
// elsewhere.
int ccryptor_core_count(void);

#endif
