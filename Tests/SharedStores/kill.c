// Kills the process before its N-th system call that concerns a folder, or in the middle of it if it writes.
//
//     LD_PRELOAD=kill.so KILL_FOLDER=/tmp/x KILL_AT=3 KILL_HALF=1 KILL_LOG=calls program …
//
// Only calls with a path in the folder, and with descriptors of such paths, count. Their names are appended to
// KILL_LOG.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { COUNT = 4096 };
static bool known[COUNT];
static int calls;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define NEXT(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

static bool in_folder(const char *path) {
    const char *folder = getenv("KILL_FOLDER");
    return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static bool is_known(int descriptor) { return descriptor >= 0 && descriptor < COUNT && known[descriptor]; }

// Counts a call. Returns true if the process has to be killed in it.
static bool count(const char *name) {
    const char *at = getenv("KILL_AT"), *log = getenv("KILL_LOG");
    pthread_mutex_lock(&mutex);
    bool is_last = ++calls == atoi(at ? at : "0");
    pthread_mutex_unlock(&mutex);
    if (log) {
        int file = NEXT(open, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        NEXT(write, file, name, strlen(name));
        NEXT(write, file, "\n", 1);
        NEXT(close, file);
    }
    return is_last;
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static void step(const char *name) {
    if (count(name)) die();
}

static int opened(int descriptor) {
    if (descriptor >= 0 && descriptor < COUNT) known[descriptor] = true;
    return descriptor;
}

#define OPEN(name)                                       \
    int name(const char *path, int flags, ...) {         \
        va_list list;                                    \
        va_start(list, flags);                           \
        mode_t mode = va_arg(list, mode_t);              \
        va_end(list);                                    \
        if (!in_folder(path)) return NEXT(name, path, flags, mode); \
        step(#name);                                     \
        return opened(NEXT(name, path, flags, mode));    \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                     \
    int name(int folder, const char *path, int flags, ...) { \
        va_list list;                                    \
        va_start(list, flags);                           \
        mode_t mode = va_arg(list, mode_t);              \
        va_end(list);                                    \
        if (!in_folder(path)) return NEXT(name, folder, path, flags, mode); \
        step(#name);                                     \
        return opened(NEXT(name, folder, path, flags, mode)); \
    }
OPENAT(openat)
OPENAT(openat64)

// The first half of the bytes is written before the process is killed, if KILL_HALF is set.
ssize_t write(int descriptor, const void *bytes, size_t size) {
    if (is_known(descriptor) && count("write")) {
        if (getenv("KILL_HALF")) NEXT(write, descriptor, bytes, size / 2);
        die();
    }
    return NEXT(write, descriptor, bytes, size);
}

#define PWRITE(name, offset_type)                                              \
    ssize_t name(int descriptor, const void *bytes, size_t size, offset_type offset) { \
        if (is_known(descriptor) && count(#name)) {                            \
            if (getenv("KILL_HALF")) NEXT(name, descriptor, bytes, size / 2, offset); \
            die();                                                             \
        }                                                                      \
        return NEXT(name, descriptor, bytes, size, offset);                    \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

int close(int descriptor) {
    if (is_known(descriptor)) {
        step("close");
        known[descriptor] = false;
    }
    return NEXT(close, descriptor);
}

#define WITH_DESCRIPTOR(type, name, parameters, ...) \
    type name parameters {                           \
        if (is_known(descriptor)) step(#name);       \
        return NEXT(name, __VA_ARGS__);              \
    }
WITH_DESCRIPTOR(int, fsync, (int descriptor), descriptor)
WITH_DESCRIPTOR(int, ftruncate, (int descriptor, off_t size), descriptor, size)
WITH_DESCRIPTOR(int, ftruncate64, (int descriptor, off64_t size), descriptor, size)
WITH_DESCRIPTOR(int, flock, (int descriptor, int operation), descriptor, operation)

#define WITH_PATH(name, parameters, ...)  \
    int name parameters {                 \
        if (in_folder(path)) step(#name); \
        return NEXT(name, __VA_ARGS__);   \
    }
WITH_PATH(rename, (const char *path, const char *other), path, other)
WITH_PATH(unlink, (const char *path), path)
WITH_PATH(mkdir, (const char *path, mode_t mode), path, mode)
WITH_PATH(chmod, (const char *path, mode_t mode), path, mode)
