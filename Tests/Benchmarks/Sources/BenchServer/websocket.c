#include "server.h"
#include "sha1.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    opcode_close = 8,
    opcode_ping = 9,
    opcode_pong = 10,
    final = 0x80,
    masked = 0x80,
    mask_length = 4,
    longest_control = 125,
    longest_key = 64,
    latency_limit = 1 << 20, // µs; longer ones count as the last
    second = 1000000,
    grace = second, // how long the last pongs may take
};

static struct websocket_options options;

/// The WebSockets that are open, in the order of the pings.
static struct {
    struct connection **items;
    uint32_t count;
    uint32_t capacity;
    /// The next to be pinged.
    uint32_t next;
} sockets;

static struct {
    /// 0 until enough WebSockets are open.
    int64_t start;
    /// When the last were due; the fraction of a ping that was left over.
    int64_t time;
    double owed;
    int64_t sent, failed, received, closed_by_client;
    int64_t greatest_latency;
    uint32_t most_sockets;
    bool is_over;
    uint32_t latencies[latency_limit];
} pings;

void websockets_configure(struct websocket_options new_options) { options = new_options; }

static size_t encode_base64(const uint8_t *bytes, size_t length, char *text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t count = 0;
    for (size_t i = 0; i < length; i += 3) {
        uint32_t group = 0;
        for (size_t j = 0; j < 3; j++) group = group << 8 | (i + j < length ? bytes[i + j] : 0);
        for (size_t j = 0; j < 4; j++) text[count++] = i + j <= length ? digits[group >> (18 - 6 * j) & 63] : '=';
    }
    return count;
}

bool websocket_open(struct connection *connection, const char *key, size_t key_length) {
    static const char suffix[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // RFC 6455, section 1.3
    if (key_length == 0 || key_length > longest_key) return false;
    char text[longest_key + sizeof suffix];
    memcpy(text, key, key_length);
    memcpy(text + key_length, suffix, sizeof suffix - 1);
    uint8_t digest[sha1_length];
    sha1(text, key_length + sizeof suffix - 1, digest);
    char accept[2 * sha1_length];
    int accept_length = (int)encode_base64(digest, sizeof digest, accept);
    char response[256];
    int length = snprintf(response, sizeof response,
                          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          "Sec-WebSocket-Accept: %.*s\r\n\r\n",
                          accept_length, accept);
    if (!send_all(connection, response, (size_t)length)) return false;

    if (sockets.count == sockets.capacity) {
        sockets.capacity = sockets.capacity ? 2 * sockets.capacity : 1024;
        sockets.items = realloc(sockets.items, sockets.capacity * sizeof *sockets.items);
        if (!sockets.items) end("memory", "is used up");
    }
    connection->protocol = protocol_websocket;
    connection->index = sockets.count;
    sockets.items[sockets.count++] = connection;
    if (sockets.count > pings.most_sockets) pings.most_sockets = sockets.count;
    if (!pings.start && sockets.count >= options.count) pings.start = pings.time = monotonic_time();
    return true;
}

void websocket_closed(struct connection *connection) {
    struct connection *last = sockets.items[--sockets.count];
    sockets.items[connection->index] = last;
    last->index = connection->index;
    if (sockets.next >= sockets.count) sockets.next = 0;
    if (pings.start && !pings.is_over) pings.closed_by_client++;
}

static void ping(struct connection *connection, int64_t now) {
    uint8_t frame[2 + sizeof now] = {final | opcode_ping, sizeof now};
    memcpy(frame + 2, &now, sizeof now);
    if (send_all(connection, frame, sizeof frame)) pings.sent++;
    else pings.failed++;
}

static void close_all(void) {
    static const uint8_t frame[] = {final | opcode_close, 2, 1000 >> 8, 1000 & 255};
    for (uint32_t i = 0; i < sockets.count; i++) send_all(sockets.items[i], frame, sizeof frame);
    pings.is_over = true;
}

int websockets_send_pings(void) {
    if (!pings.start || pings.is_over) return -1;
    int64_t now = monotonic_time();
    if (options.seconds > 0) {
        int64_t deadline = pings.start + (int64_t)(options.seconds * second);
        if (now >= deadline + grace || (now >= deadline && pings.received == pings.sent)) {
            close_all();
            return -1;
        }
        if (now >= deadline) return 10;
    }
    if (sockets.count == 0) return -1;
    // So many that each has one a second, and no more than one each where the server was late.
    pings.owed += (double)(now - pings.time) * sockets.count / second;
    if (pings.owed > sockets.count) pings.owed = sockets.count;
    pings.time = now;
    for (; pings.owed >= 1; pings.owed--) {
        ping(sockets.items[sockets.next], monotonic_time());
        sockets.next = (sockets.next + 1) % sockets.count;
    }
    int64_t interval = second / sockets.count / 1000;
    return interval > 1 ? (int)interval : 1;
}

static void receive_pong(const uint8_t *content, size_t length) {
    int64_t sent;
    if (length != sizeof sent) return;
    memcpy(&sent, content, sizeof sent);
    int64_t latency = monotonic_time() - sent;
    if (latency < 0) return;
    pings.received++;
    if (latency > pings.greatest_latency) pings.greatest_latency = latency;
    pings.latencies[latency < latency_limit ? latency : latency_limit - 1]++;
}

/// Answers a Close frame with one of the same status, and has the connection closed by the return value.
static ptrdiff_t answer_close(const struct connection *connection, const uint8_t *content, size_t length) {
    uint8_t frame[4] = {final | opcode_close, length >= 2 ? 2 : 0};
    memcpy(frame + 2, content, length >= 2 ? 2 : 0);
    if (!pings.is_over) send_all(connection, frame, 2u + frame[1]);
    return -1;
}

static bool answer_ping(const struct connection *connection, const uint8_t *content, size_t length) {
    uint8_t frame[2 + longest_control] = {final | opcode_pong, (uint8_t)length};
    memcpy(frame + 2, content, length);
    return send_all(connection, frame, 2 + length);
}

static size_t min(uint64_t a, size_t b) { return a < b ? (size_t)a : b; }

ptrdiff_t receive_frames(struct connection *connection, const char *chars, size_t length) {
    const uint8_t *bytes = (const uint8_t *)chars;
    if (connection->ignored_length > 0) {
        size_t count = min(connection->ignored_length, length);
        connection->ignored_length -= count;
        return (ptrdiff_t)count;
    }
    if (length < 2) return 0;
    if (!(bytes[1] & masked)) return -1;
    int opcode = bytes[0] & 15;
    uint64_t content_length = bytes[1] & 127;
    size_t extension = content_length == 127 ? 8 : content_length == 126 ? 2 : 0;
    size_t head_length = 2 + extension + mask_length;
    if (length < head_length) return 0;
    if (opcode < opcode_close) {
        if (extension > 0) content_length = 0;
        for (size_t i = 0; i < extension; i++) content_length = content_length << 8 | bytes[2 + i];
        connection->ignored_length = content_length;
        return (ptrdiff_t)head_length;
    }
    if (extension > 0) return -1; // no control frame is so long
    if (length < head_length + content_length) return 0;

    uint8_t content[longest_control];
    const uint8_t *mask = bytes + 2;
    for (size_t i = 0; i < content_length; i++) content[i] = bytes[head_length + i] ^ mask[i % mask_length];
    if (opcode == opcode_pong) receive_pong(content, content_length);
    else if (opcode == opcode_close) return answer_close(connection, content, content_length);
    else if (opcode == opcode_ping && !answer_ping(connection, content, content_length)) return -1;
    return (ptrdiff_t)(head_length + content_length);
}

/// The least latency that so great a share of the pongs did not exceed.
static int64_t quantile(double share) {
    double wanted = share * (double)pings.received;
    int64_t count = 0;
    for (int64_t i = 0; i < latency_limit; i++) {
        count += pings.latencies[i];
        if (count > 0 && (double)count >= wanted) return i;
    }
    return 0;
}

bool websockets_are_over(void) { return pings.start && sockets.count == 0; }

void websockets_report(void) {
    if (!pings.start) return;
    printf("{\"websockets\":%" PRIu32 ",\"seconds\":%.3f,\"pings\":%" PRId64 ",\"pongs\":%" PRId64
           ",\"unsent_pings\":%" PRId64 ",\"closed_by_client\":%" PRId64 ",\"latency_us\":{\"median\":%" PRId64
           ",\"p99\":%" PRId64 ",\"p999\":%" PRId64 ",\"greatest\":%" PRId64 "}}\n",
           pings.most_sockets, (double)(pings.time - pings.start) / second, pings.sent, pings.received, pings.failed,
           pings.closed_by_client, quantile(0.5), quantile(0.99), quantile(0.999), pings.greatest_latency);
}
