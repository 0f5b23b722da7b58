// Tells the thread sanitizer of the ways through Synchronization.Mutex that it cannot see.
//
// Taking a mutex that is free is code of the caller's, which the sanitizer has instrumented. Taking one that another
// thread holds, and releasing one for which another thread waits, happens in a library that it has not, so that
// everything behind a contended mutex looks like a race. These functions take the place of that library's, call them,
// and say what they have done: nothing else is hidden from the sanitizer.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

void __tsan_acquire(void *address);
void __tsan_release(void *address);

SWIFT void lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT bool try_lock(SELF void *mutex) __asm__(TRY_LOCK);
SWIFT void unlock(SELF void *mutex) __asm__(UNLOCK);

static SWIFT void (*library_lock)(uint32_t, SELF void *);
static SWIFT bool (*library_try_lock)(SELF void *);
static SWIFT void (*library_unlock)(SELF void *);

__attribute__((constructor)) static void find_library(void) {
    library_lock = dlsym(RTLD_NEXT, LOCK);
    library_try_lock = dlsym(RTLD_NEXT, TRY_LOCK);
    library_unlock = dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock(uint32_t thread, SELF void *mutex) {
    library_lock(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT bool try_lock(SELF void *mutex) {
    bool is_locked = library_try_lock(mutex);
    if (is_locked) __tsan_acquire(mutex);
    return is_locked;
}

SWIFT void unlock(SELF void *mutex) {
    __tsan_release(mutex);
    library_unlock(mutex);
}
