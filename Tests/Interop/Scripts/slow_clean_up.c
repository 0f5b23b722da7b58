// A slow end of the process: loaded before the C library (LD_PRELOAD), it makes the thread that has called exit() wait
// for a millisecond at each lock that it destroys. OpenSSL's clean-up destroys dozens of them, and frees what they have
// protected. All other threads run on meanwhile.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static __thread int is_exiting;

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
    static int (*original)(pthread_rwlock_t *);
    if (!original) original = (int (*)(pthread_rwlock_t *))next("pthread_rwlock_destroy");
    if (is_exiting) nanosleep(&(struct timespec){0, 1000000}, NULL);
    return original(lock);
}

void exit(int status) {
    is_exiting = 1;
    ((void (*)(int))next("exit"))(status);
    abort();
}
