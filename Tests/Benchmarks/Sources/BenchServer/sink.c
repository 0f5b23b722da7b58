#define _GNU_SOURCE

#include "server.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum sink_part { sink_content, sink_line, sink_trailers, sink_end };

struct sink {
    enum sink_part part;
    bool is_chunked;
    /// Whether the server sleeps after each MiB, so that the client is always ready with more.
    bool is_slow;
    /// Bytes of the chunk or, without chunks, of the content that are still to come.
    uint64_t left;
    uint64_t received;
    uint64_t expected;
};

static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
static const char complete[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
static const char incomplete[] = "HTTP/1.1 422 Other Length\r\nContent-Length: 0\r\n\r\n";

bool sink_open(struct connection *connection, const char *head, size_t length, uint64_t expected, bool is_slow) {
    const char *value;
    struct sink *sink = calloc(1, sizeof *sink);
    if (!sink) end("memory", "is used up");
    sink->expected = expected;
    sink->is_slow = is_slow;
    sink->is_chunked = find_field(head, length, "Transfer-Encoding", &value) > 0;
    if (!sink->is_chunked && find_field(head, length, "Content-Length", &value) > 0) sink->left = strtoull(value, NULL, 10);
    sink->part = sink->is_chunked ? sink_line : sink->left > 0 ? sink_content : sink_end;
    connection->sink = sink;
    connection->protocol = protocol_sink;
    if (find_field(head, length, "Expect", &value) > 0 && !send_all(connection, go_on, sizeof go_on - 1)) return false;
    // Without content nothing more arrives.
    return sink->part != sink_end || receive_content(connection, NULL, 0) >= 0;
}

void sink_close(struct connection *connection) {
    free(connection->sink);
    connection->sink = NULL;
    connection->protocol = protocol_http;
}

static void take_content(struct sink *sink, uint64_t count) {
    uint64_t before = sink->received;
    sink->received += count;
    sink->left -= count;
    if (sink->left == 0) sink->part = sink->is_chunked ? sink_line : sink_end;
    uint64_t sleeps = sink->is_slow ? (sink->received >> 20) - (before >> 20) : 0;
    for (; sleeps > 0; sleeps--) nanosleep(&(struct timespec){.tv_nsec = 4000000}, NULL);
}

/// The line before a chunk, or the one that ends a chunk: that is empty.
static void take_line(struct sink *sink, const char *line, size_t length) {
    if (length == 0) return;
    sink->left = strtoull(line, NULL, 16);
    sink->part = sink->left > 0 ? sink_content : sink_trailers;
}

ptrdiff_t receive_content(struct connection *connection, const char *bytes, size_t length) {
    struct sink *sink = connection->sink;
    size_t used = 0;
    while (sink->part != sink_end) {
        if (used == length) return (ptrdiff_t)used;
        if (sink->part == sink_content) {
            uint64_t count = sink->left < length - used ? sink->left : length - used;
            take_content(sink, count);
            used += (size_t)count;
            continue;
        }
        const char *line = bytes + used, *line_end = memmem(line, length - used, "\r\n", 2);
        if (!line_end) return (ptrdiff_t)used;
        size_t line_length = (size_t)(line_end - line);
        if (sink->part == sink_line) take_line(sink, line, line_length);
        else if (line_length == 0) sink->part = sink_end;
        used += line_length + 2;
    }
    bool is_complete = sink->received == sink->expected;
    bool is_sent = is_complete ? send_all(connection, complete, sizeof complete - 1)
                               : send_all(connection, incomplete, sizeof incomplete - 1);
    sink_close(connection);
    return is_sent ? (ptrdiff_t)used : -1;
}
