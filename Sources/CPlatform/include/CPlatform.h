#ifndef CPLATFORM_H
#define CPLATFORM_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/// Overwrites `count` bytes at `bytes` with zeros, in a way the optimiser can't remove.
void platform_wipe(void *_Nonnull bytes, size_t count);

/// Overwrites with zeros the kibibyte of the stack that functions use which the caller calls: what those
/// that returned have left there.
void platform_wipe_stack(void);

/// Keeps other processes of the same user from reading this one's memory, and the kernel from
/// dumping it. Returns 0, or -1 and errno. (prctl is variadic, so Swift can't call it.)
int platform_forbid_tracing(void);

/// Gives a signal that has a handler its default effect; one that is ignored stays so.
void platform_unhandle(int number);

/// Maps `count` bytes of zeroed, private memory that never goes into a core file. With `huge` the
/// kernel is asked for huge pages, which is no promise. Returns NULL and errno on failure.
void *_Nullable platform_map(size_t count, int huge);

/// Fills `count` bytes with random ones of the kernel's (getrandom(2)), for keys too. Returns 0, or -1 and
/// errno, which no kernel that we run on does. (Swift's Glibc lacks getrandom.)
int platform_random(void *_Nonnull bytes, size_t count);

/// Keeps each page of the mapped `count` bytes out of the swap from its first touch on. Returns 0, or -1
/// and errno. (Swift's Glibc lacks mlock2.)
int platform_lock_when_touched(void *_Nonnull bytes, size_t count);

/// Makes `count` mapped bytes at `bytes` `newCount` bytes long, where they are or elsewhere; nothing
/// is copied, and nothing stays behind. Returns NULL and errno on failure, and then the old ones are
/// as they were. (mremap is variadic.)
void *_Nullable platform_remap(void *_Nonnull bytes, size_t count, size_t newCount);

/// Gives mapped bytes back; the kernel overwrites them before anyone else gets them.
void platform_unmap(void *_Nonnull bytes, size_t count);

/// Waits for so many milliseconds for the end of a thread, and takes it away. Returns 0, or -1 while it runs
/// on. (Swift's Glibc lacks pthread_clockjoin_np.)
int platform_join(pthread_t thread, int milliseconds);

/// Forks. Swift hides `fork`, because after it only async-signal-safe calls are safe in a process
/// that has threads: call this before any thread is started. Returns as fork(2) does.
int platform_fork(void);

// What follows is in headers that Swift's Glibc module lacks, or wants _GNU_SOURCE, or is variadic.
// All return -1 and errno on failure, as the functions that they call do.

/// The environment for a program to be started: environ(7). (A variable that Swift can't vouch for.)
char *_Nullable *_Nullable platform_environment(void);

/// The reading and the writing end of a pipe, closed in programs: pipe2(2).
int platform_pipe(int *_Nonnull ends);

/// A descriptor that counts rings, doesn't block, and is closed in programs: eventfd(2).
int platform_bell(void);

/// A descriptor that tells of an alarm on CLOCK_BOOTTIME: timerfd_create(2).
int platform_timer(void);

/// Sets the alarm to a time of CLOCK_BOOTTIME; to 0, 0: takes it away. timerfd_settime(2).
int platform_timer_set(int timer, int64_t seconds, int64_t nanoseconds);

/// A descriptor for the `count` blocked signals: signalfd(2).
int platform_signals(const int *_Nonnull signals, size_t count);

/// Takes the number of the next signal off such a descriptor.
int platform_next_signal(int descriptor);

/// Accepts a connection on a descriptor that is closed in programs: accept4(2).
int platform_accept(int listener);

/// Who is at the other end of a Unix socket: SO_PEERCRED.
int platform_peer(
    int socket, int32_t *_Nonnull process, uint32_t *_Nonnull user, uint32_t *_Nonnull group);

/// Lets two names in `folder` change places: renameat2(2) with RENAME_EXCHANGE.
int platform_exchange(int folder, const char *_Nonnull name, const char *_Nonnull other);

/// A descriptor that tells of changes in folders, doesn't block, and is closed in programs:
/// inotify_init1(2).
int platform_folder_watcher(void);

/// Names the calling thread, for `top` and debuggers; longer names are cut.
int platform_name_thread(const char *_Nonnull name);

/// Extended attributes of an open file: flistxattr(2), fgetxattr(2), fsetxattr(2), fremovexattr(2).
/// The first two give the size that is needed when `count` is 0.
ptrdiff_t platform_list_attributes(int file, char *_Nullable names, size_t count);
ptrdiff_t platform_get_attribute(
    int file, const char *_Nonnull name, void *_Nullable value, size_t count);
int platform_set_attribute(
    int file, const char *_Nonnull name, const void *_Nonnull value, size_t count);
int platform_remove_attribute(int file, const char *_Nonnull name);

/// Looks up a user: by `name`, or with `has_number` by `number`. Writes the numbers of user and group,
/// and into `texts`, which has `size` bytes, name and home folder with a NUL each. Returns 1, 0 where
/// there is none, or -1 and errno. (What getpwnam_r gives is full of pointers.)
int platform_find_user(
    const char *_Nonnull name, int has_number, uint32_t number, uint32_t *_Nonnull user,
    uint32_t *_Nonnull group, char *_Nonnull texts, size_t size);

/// Becomes a user for good, with the groups that `name` is in. Returns 0, or -1 and errno.
int platform_become(const char *_Nonnull name, uint32_t user, uint32_t group);

/// Keeps `count` bytes in the kernel under `name`, for the calling thread and those that it starts, for
/// so many seconds at most; what was kept under the name goes. (glibc has no add_key and keyctl.)
int platform_keep_key(
    const char *_Nonnull name, const void *_Nonnull bytes, size_t count, unsigned seconds);

/// Reads what is kept under `name`; gives the number of bytes that there are.
ptrdiff_t platform_read_key(const char *_Nonnull name, void *_Nonnull bytes, size_t count);

/// Forgets what is kept under `name`.
int platform_forget_key(const char *_Nonnull name);

/// What posix_spawnattr_setflags(3) is told for a session of its own: POSIX_SPAWN_SETSID.
short platform_spawn_session_flag(void);

/// Lets a program, found along PATH, take this process' place: execvpe(3). Words and variables
/// (NAME=value) are texts that stand one after another, each with a NUL; variables come before those of
/// the environment, and in the place of those of the same names. Signals are as at a login. Returns
/// errno. (Vectors of pointers, and a global of them.)
int platform_become_program(
    const char *_Nonnull words, size_t word_count, const char *_Nullable variables,
    size_t variable_count);

#endif
