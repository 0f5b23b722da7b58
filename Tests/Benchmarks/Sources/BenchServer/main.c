#define _GNU_SOURCE

#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { listener_count = 2, backlog = 4096, event_count = 256, buffer_length = 1 << 16, longest_message = 1 << 14 };

static volatile sig_atomic_t is_over;

static void stop(int number) {
    (void)number;
    is_over = 1;
}

void end(const char *subject, const char *message) {
    fprintf(stderr, "BenchServer: %s: %s\n", subject, message);
    exit(1);
}

int64_t monotonic_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000) + time.tv_nsec / 1000;
}

bool send_all(const struct connection *connection, const void *bytes, size_t length) {
    return send(connection->descriptor, bytes, length, MSG_NOSIGNAL) == (ssize_t)length;
}

static int listen_on(uint16_t port) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) end("bind", strerror(errno));
    if (listen(descriptor, backlog) != 0) end("listen", strerror(errno));
    return descriptor;
}

static uint16_t port_of(int descriptor) {
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    getsockname(descriptor, (struct sockaddr *)&address, &length);
    return ntohs(address.sin_port);
}

static void watch(int poller, struct connection *connection) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, connection->descriptor, &event) != 0) end("epoll_ctl", strerror(errno));
}

static void accept_all(int poller, int listener) {
    for (;;) {
        int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
        if (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
        if (descriptor < 0 && errno == EAGAIN) return;
        if (descriptor < 0) end("accept", strerror(errno));
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct connection *connection = calloc(1, sizeof *connection);
        if (!connection) end("memory", "is used up");
        connection->descriptor = descriptor;
        watch(poller, connection);
    }
}

static void close_connection(struct connection *connection) {
    if (connection->protocol == protocol_websocket) websocket_closed(connection);
    sink_close(connection);
    close(connection->descriptor);
    free(connection->pending);
    free(connection);
}

/// Stores what is left of a message that has arrived in part.
static void store(struct connection *connection, const char *bytes, size_t length) {
    char *pending = NULL;
    if (length > 0) {
        pending = malloc(length);
        if (!pending) end("memory", "is used up");
        memcpy(pending, bytes, length);
    }
    free(connection->pending);
    connection->pending = pending;
    connection->pending_length = (uint32_t)length;
}

static ptrdiff_t (*const receivers[])(struct connection *, const char *, size_t) = {
    [protocol_http] = receive_http,
    [protocol_websocket] = receive_frames,
    [protocol_sink] = receive_content,
};

/// Reads what has arrived, and returns false to have the connection closed.
static bool receive(struct connection *connection) {
    static char buffer[buffer_length];
    size_t length = connection->pending_length;
    if (length > longest_message) return false;
    if (length > 0) memcpy(buffer, connection->pending, length);
    ssize_t count = recv(connection->descriptor, buffer + length, sizeof buffer - length, 0);
    if (count <= 0) return count < 0 && (errno == EAGAIN || errno == EINTR);
    length += (size_t)count;

    size_t used = 0;
    for (;;) {
        ptrdiff_t taken = receivers[connection->protocol](connection, buffer + used, length - used);
        if (taken < 0) return false;
        if (taken == 0) break;
        used += (size_t)taken;
    }
    if (connection->pending || used < length) store(connection, buffer + used, length - used);
    return true;
}

static void serve(int poller, const int *listeners) {
    struct connection sentinels[listener_count] = {0};
    for (int i = 0; i < listener_count; i++) {
        sentinels[i].descriptor = listeners[i];
        watch(poller, &sentinels[i]);
    }
    while (!is_over && !websockets_are_over()) {
        struct epoll_event events[event_count];
        int count = epoll_wait(poller, events, event_count, websockets_send_pings());
        for (int i = 0; i < count; i++) {
            struct connection *connection = events[i].data.ptr;
            bool is_listener = connection >= sentinels && connection < sentinels + listener_count;
            if (is_listener) accept_all(poller, connection->descriptor);
            else if (!receive(connection)) close_connection(connection);
        }
    }
}

static void read_options(int count, char **arguments, uint16_t *port) {
    struct websocket_options websockets = {.count = 1};
    for (int i = 1; i < count; i += 2) {
        const char *name = arguments[i];
        if (i + 1 == count) end(name, "has no value");
        const char *value = arguments[i + 1];
        if (strcmp(name, "--port") == 0) *port = (uint16_t)atoi(value);
        else if (strcmp(name, "--websockets") == 0) websockets.count = (uint32_t)atol(value);
        else if (strcmp(name, "--seconds") == 0) websockets.seconds = atof(value);
        else end(name, "is no option");
    }
    websockets_configure(websockets);
}

int main(int count, char **arguments) {
    uint16_t port = 0; // any
    read_options(count, arguments, &port);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);

    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    // The second is another origin for the same clients.
    int listeners[listener_count] = {listen_on(port), listen_on(port ? port + 1 : 0)};
    printf("%d %d\n", port_of(listeners[0]), port_of(listeners[1]));
    fflush(stdout);
    int poller = epoll_create1(EPOLL_CLOEXEC);
    if (poller < 0) end("epoll_create1", strerror(errno));
    serve(poller, listeners);
    websockets_report();
    return 0;
}
