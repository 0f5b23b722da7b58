#include "measuring.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

void end(const char *subject, const char *message) {
    fprintf(stderr, "BenchLibcurl: %s: %s\n", subject, message);
    exit(1);
}

static enum workload read_workload(const char *name) {
    if (strcmp(name, "get") == 0) return workload_get;
    if (strcmp(name, "post") == 0) return workload_post;
    if (strcmp(name, "discard") == 0) return workload_discard;
    if (strcmp(name, "slow") == 0) return workload_slow;
    if (strcmp(name, "sessions") == 0) return workload_sessions;
    end(name, "is no workload of this client");
}

/// Reads from a client's name what it sends, and how multi handles are driven: libcurl-c, libcurl-c-fields,
/// libcurl-c-epoll, libcurl-c-epoll-apart or, with the number of streams for each multi handle,
/// libcurl-c-epoll-apart-100.
static void read_client(const char *name, struct options *options) {
    static const char apart[] = "-epoll-apart";
    options->uses_epoll = strstr(name, "-epoll") != NULL;
    options->sends_fields = strstr(name, "-fields") != NULL;
    const char *found = strstr(name, apart);
    if (found) options->streams_per_multi = found[sizeof apart - 1] ? atol(found + sizeof apart) : -1;
}

struct options read_options(int count, char **arguments) {
    struct options options = {.content_length = -1, .requests = INT64_MAX, .in_flight = 1, .connections = 1};
    for (int i = 1; i + 1 < count; i += 2) {
        const char *name = arguments[i], *value = arguments[i + 1];
        if (strcmp(name, "--client") == 0) read_client(value, &options);
        else if (strcmp(name, "--workload") == 0) options.workload = read_workload(value);
        else if (strcmp(name, "--url") == 0) options.url = value;
        else if (strcmp(name, "--warm-up-url") == 0) options.warm_up_url = value;
        else if (strcmp(name, "--content-length") == 0) options.content_length = atoll(value);
        else if (strcmp(name, "--warm-up") == 0) options.warm_up_requests = atoll(value);
        else if (strcmp(name, "--requests") == 0) options.requests = atoll(value);
        else if (strcmp(name, "--seconds") == 0) options.seconds = atof(value);
        else if (strcmp(name, "--in-flight") == 0) options.in_flight = atol(value);
        else if (strcmp(name, "--connections") == 0) options.connections = atol(value);
        else if (strcmp(name, "--buffer-size") == 0) options.buffer_size = atol(value);
        else if (strcmp(name, "--idle-url") == 0) options.idle_url = value;
        else if (strcmp(name, "--idle-streams") == 0) options.idle_streams = atol(value);
        else end(name, "is no option");
    }
    if (!options.url) end("--url", "is missing");
    return options;
}

int64_t monotonic_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000) + time.tv_nsec / 1000;
}

static void meter_add(struct meter *meter, int64_t sign) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    int64_t seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec;
    meter->processor += sign * (seconds * 1000000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    meter->sleeps += sign * usage.ru_nvcsw;
    meter->wall += sign * monotonic_time();
}

void meter_start(struct meter *meter) { meter_add(meter, -1); }

void meter_stop(struct meter *meter) { meter_add(meter, 1); }

static int64_t count_descriptors(void) {
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return 0;
    int64_t count = -1; // the folder's own
    for (struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

struct status read_status(int64_t sessions) {
    struct status status = {.sessions = sessions, .descriptors = count_descriptors()};
    FILE *file = fopen("/proc/self/status", "r");
    if (!file) return status;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        sscanf(line, "Threads: %" SCNd64, &status.threads);
        sscanf(line, "VmRSS: %" SCNd64, &status.resident_kib);
        sscanf(line, "VmHWM: %" SCNd64, &status.peak_resident_kib);
    }
    fclose(file);
    return status;
}

void report(int64_t requests, struct meter meter, struct opening opening, const struct status *samples,
            int sample_count) {
    printf("{\"requests\":%" PRId64 ",\"cpu_us\":%" PRId64 ",\"wall_us\":%" PRId64 ",\"sleeps\":%" PRId64, requests,
           meter.processor, meter.wall, meter.sleeps);
    printf(",\"peak_rss_kib\":%" PRId64, read_status(0).peak_resident_kib);
    printf(",\"opening\":{\"streams\":%ld,\"cpu_us\":%" PRId64 ",\"wall_us\":%" PRId64 ",\"rss_kib\":%" PRId64 "}",
           opening.streams, opening.meter.processor, opening.meter.wall, opening.resident_kib);
    printf(",\"growth\":[");
    for (int i = 0; i < sample_count; i++) {
        printf("%s{\"sessions\":%" PRId64 ",\"threads\":%" PRId64 ",\"descriptors\":%" PRId64 ",\"rss_kib\":%" PRId64 "}",
               i ? "," : "", samples[i].sessions, samples[i].threads, samples[i].descriptors, samples[i].resident_kib);
    }
    printf("]}\n");
}
