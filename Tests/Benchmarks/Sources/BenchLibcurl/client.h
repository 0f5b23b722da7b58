/// Easy handles that are used again as they are, on one thread.

#ifndef CLIENT_H
#define CLIENT_H

#include "event_loop.h"
#include "library.h"
#include "measuring.h"

struct transfer {
    CURL *easy;
    int64_t content_length;
    bool sleeps;
};

struct client {
    CURLM *multi;
    struct transfer *transfers;
    long count;
    /// Null if the multi handle is driven by curl_multi_poll and curl_multi_perform.
    struct event_loop *loop;
};

struct client make_client(const struct options *options);
void free_client(struct client *client);

/// Makes an easy handle whose content is counted in the transfer.
void prepare(struct transfer *transfer, const struct options *options);

/// Has libcurl handle what has happened.
void perform(struct client *client);

/// Waits until something happens, at most a second.
void await_events(struct client *client);

/// Keeps `in_flight` requests in flight until there have been `requests` or the time is over; returns how many there
/// were.
int64_t run(struct client *client, const char *url, int64_t expected_length, int64_t requests, double seconds);

/// Opens responses that stay open, and returns when the first content of each has arrived.
struct opening open_streams(struct client *client, const struct options *options);

#endif
