/// A server for what nginx cannot do: responses that stay open and silent, WebSockets that are pinged, and uploads that
/// are counted and thrown away. It has one thread and one epoll descriptor. A connection that waits has a structure of
/// a few bytes and no buffer.

#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum protocol { protocol_http, protocol_websocket, protocol_sink };

struct sink;

struct connection {
    int descriptor;
    enum protocol protocol;
    /// Its place among the WebSockets.
    uint32_t index;
    uint32_t pending_length;
    /// A message that has arrived in part; null if there is none.
    char *pending;
    /// Content of a frame that is still to come, and is ignored.
    uint64_t ignored_length;
    /// An upload that is arriving; null if there is none.
    struct sink *sink;
};

/// Ends the process with a message.
void end(const char *subject, const char *message) __attribute__((noreturn));

/// Microseconds.
int64_t monotonic_time(void);

/// Returns false if the peer does not take all of it at once; the connection is of no use then.
bool send_all(const struct connection *connection, const void *bytes, size_t length);

/// Takes messages off the beginning of `bytes`, and returns how many bytes those had, or -1 to have the connection
/// closed.
ptrdiff_t receive_http(struct connection *connection, const char *bytes, size_t length);
ptrdiff_t receive_frames(struct connection *connection, const char *bytes, size_t length);
ptrdiff_t receive_content(struct connection *connection, const char *bytes, size_t length);

/// Finds the value of a field in a head, and returns its length; 0 if there is none.
size_t find_field(const char *head, size_t length, const char *name, const char **value);

/// Begins to receive an upload, whose response has the status 200 if its content has the length that is expected.
bool sink_open(struct connection *connection, const char *head, size_t length, uint64_t expected, bool is_slow);
void sink_close(struct connection *connection);

struct websocket_options {
    /// The number of WebSockets with which the pings begin.
    uint32_t count;
    /// The time after which they end and the WebSockets are closed; 0 for no limit.
    double seconds;
};

void websockets_configure(struct websocket_options options);

/// Answers the opening handshake.
bool websocket_open(struct connection *connection, const char *key, size_t key_length);
void websocket_closed(struct connection *connection);

/// Sends the pings that are due, and returns the milliseconds until the next, or -1 if there is none.
int websockets_send_pings(void);

/// Whether there were pings and all WebSockets have been closed since.
bool websockets_are_over(void);

/// Prints the figures, if there were pings.
void websockets_report(void);

#endif
