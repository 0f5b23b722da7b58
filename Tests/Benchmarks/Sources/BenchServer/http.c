#define _GNU_SOURCE

#include "server.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/// The same content as nginx's, with fields of the same kind.
static const char small[] = "HTTP/1.1 200 OK\r\n"
                            "Server: BenchServer\r\n"
                            "Date: Sun, 01 Nov 2026 00:00:00 GMT\r\n"
                            "Content-Type: application/json\r\n"
                            "Content-Length: 70\r\n"
                            "Connection: keep-alive\r\n"
                            "\r\n"
                            "{\"id\":1,\"name\":\"Ada Lovelace\",\"isActive\":true,\"score\":99.5,\"tags\":[]}\n";

/// One event; the response does not end.
static const char silent[] = "HTTP/1.1 200 OK\r\n"
                             "Content-Type: text/event-stream\r\n"
                             "Cache-Control: no-store\r\n"
                             "Transfer-Encoding: chunked\r\n"
                             "\r\n"
                             "c\r\ndata: open\n\n\r\n";

static const char not_found[] = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";

/// The number of bytes of the upload follows.
static const char sink_path[] = "PUT /sink/";
static const char slow_sink_path[] = "PUT /slow-sink/";

static bool starts_with(const char *bytes, size_t length, const char *prefix) {
    size_t prefix_length = strlen(prefix);
    return length >= prefix_length && memcmp(bytes, prefix, prefix_length) == 0;
}

size_t find_field(const char *head, size_t length, const char *name, const char **value) {
    size_t name_length = strlen(name);
    for (const char *line = head, *end = head + length; line < end;) {
        const char *line_end = memmem(line, (size_t)(end - line), "\r\n", 2);
        if (!line_end) return 0;
        if ((size_t)(line_end - line) > name_length && line[name_length] == ':' &&
            strncasecmp(line, name, name_length) == 0) {
            for (*value = line + name_length + 1; *value < line_end && **value == ' ';) (*value)++;
            return (size_t)(line_end - *value);
        }
        line = line_end + 2;
    }
    return 0;
}

ptrdiff_t receive_http(struct connection *connection, const char *bytes, size_t length) {
    const char *head_end = memmem(bytes, length, "\r\n\r\n", 4);
    if (!head_end) return 0;
    size_t head_length = (size_t)(head_end - bytes) + 4;
    const char *key;
    bool is_sent;
    if (starts_with(bytes, head_length, "GET /small.json ")) {
        is_sent = send_all(connection, small, sizeof small - 1);
    } else if (starts_with(bytes, head_length, "GET /silent ")) {
        is_sent = send_all(connection, silent, sizeof silent - 1);
    } else if (starts_with(bytes, head_length, "GET /websocket ")) {
        size_t key_length = find_field(bytes, head_length, "Sec-WebSocket-Key", &key);
        is_sent = websocket_open(connection, key, key_length);
    } else if (starts_with(bytes, head_length, sink_path)) {
        uint64_t expected = strtoull(bytes + sizeof sink_path - 1, NULL, 10);
        is_sent = sink_open(connection, bytes, head_length, expected, false);
    } else if (starts_with(bytes, head_length, slow_sink_path)) {
        uint64_t expected = strtoull(bytes + sizeof slow_sink_path - 1, NULL, 10);
        is_sent = sink_open(connection, bytes, head_length, expected, true);
    } else {
        is_sent = send_all(connection, not_found, sizeof not_found - 1);
    }
    return is_sent ? (ptrdiff_t)head_length : -1;
}
