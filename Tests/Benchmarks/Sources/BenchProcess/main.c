/// Runs a program several times, one run after the other, and prints the figures of its whole processes.
///
///     BenchProcess COUNT PROGRAM [ARGUMENT …]
///
/// The greatest resident set that the kernel reports of a process is at least that of the process that has forked it.
/// This program is smaller than all that it runs.

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void end(const char *subject, const char *message) {
    fprintf(stderr, "%s: %s\n", subject, message);
    exit(1);
}

static int64_t microseconds(struct timeval time) { return time.tv_sec * INT64_C(1000000) + time.tv_usec; }

static int64_t monotonic_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000) + time.tv_nsec / 1000;
}

int main(int count, char **arguments) {
    long runs = count > 2 ? atol(arguments[1]) : 0;
    if (runs < 1) end("BenchProcess", "needs a number and a program");
    int64_t processor = 0, sleeps = 0;
    long peak = 0;
    int64_t start = monotonic_time();
    for (long i = 0; i < runs; i++) {
        pid_t child = fork();
        if (child < 0) end("fork", "has failed");
        if (child == 0) {
            dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
            execvp(arguments[2], arguments + 2);
            _exit(127);
        }
        int status;
        struct rusage usage;
        if (wait4(child, &status, 0, &usage) != child) end("wait4", "has failed");
        if (status != 0) end(arguments[2], WIFSIGNALED(status) ? "was ended by a signal" : "has failed");
        processor += microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
        sleeps += usage.ru_nvcsw;
        if (usage.ru_maxrss > peak) peak = usage.ru_maxrss;
    }
    printf("{\"requests\":%ld,\"cpu_us\":%" PRId64 ",\"wall_us\":%" PRId64 ",\"sleeps\":%" PRId64
           ",\"peak_rss_kib\":%ld,\"growth\":[]}\n",
           runs, processor, monotonic_time() - start, sleeps, peak);
    return 0;
}
