/// Command line, clocks and figures, as the programs in Swift have them.

#ifndef MEASURING_H
#define MEASURING_H

#include <stdbool.h>
#include <stdint.h>

enum workload { workload_get, workload_post, workload_discard, workload_slow, workload_sessions };

struct options {
    enum workload workload;
    /// Whether multi handles are driven by `struct event_loop`, and not by curl_multi_poll and curl_multi_perform.
    bool uses_epoll;
    /// Whether requests have the header fields of a session manager's, and their content codings are decoded.
    bool sends_fields;
    /// How many idle streams share a multi handle, which is not that of the requests; 0 if it is, -1 for all of them.
    long streams_per_multi;
    const char *url;
    const char *warm_up_url;
    int64_t content_length; // -1 if any will do
    int64_t warm_up_requests;
    int64_t requests;
    double seconds; // 0 if there is no limit
    long in_flight;
    long connections;
    long buffer_size; // 0 for libcurl's default
    const char *idle_url;
    long idle_streams;
};

/// Microseconds, and the number of times that a thread has gone to sleep.
struct meter {
    int64_t processor;
    int64_t wall;
    int64_t sleeps;
};

struct status {
    int64_t sessions;
    int64_t threads;
    int64_t descriptors;
    int64_t resident_kib;
    int64_t peak_resident_kib;
};

/// The cost of opening the idle streams.
struct opening {
    long streams;
    struct meter meter;
    int64_t resident_kib;
};

/// Ends the process as a measurement that failed.
void end(const char *subject, const char *message) __attribute__((noreturn));

struct options read_options(int count, char **arguments);

void meter_start(struct meter *meter);
void meter_stop(struct meter *meter);
int64_t monotonic_time(void);

struct status read_status(int64_t sessions);

/// Prints the figures as one line of JSON.
void report(int64_t requests, struct meter meter, struct opening opening, const struct status *samples, int sample_count);

#endif
