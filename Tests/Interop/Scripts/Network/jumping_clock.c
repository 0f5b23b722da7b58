// A clock that jumps: loaded before the C library (LD_PRELOAD), it adds an offset to the clock of the time of day. The
// monotonic clock goes on, as it does on a machine whose clock is set.
//
// The program finds the function below by name (dlsym).
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_llong offset;

// Sets the clock to so many seconds after, or before, that of the machine.
void jumping_clock_set(long long seconds) { atomic_store(&offset, seconds); }

int clock_gettime(clockid_t clock, struct timespec *result) {
    int status = (int)syscall(SYS_clock_gettime, clock, result);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        result->tv_sec += (time_t)atomic_load(&offset);
    }
    return status;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *result = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
