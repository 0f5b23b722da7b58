// Requests of one easy handle whose kept connections are lost: libcurl from 7.72 on sends each of them again, but adds
// up these repetitions over all transfers of the handle (data->state.retrycount). The sixth one fails: "Connection
// died, tried 5 times before giving up". Only curl_easy_reset and the failure itself begin a new count.
#include "loopback.h"

static const char response[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

// Each connection gets one response, and ends when the next request has come.
static void *serve(void *context) {
    char buffer[4096];
    for (;;) {
        int connection = accept(*(int *)context, NULL, NULL);
        if (connection < 0) return NULL;
        if (recv(connection, buffer, sizeof buffer, 0) > 0) {
            send(connection, response, sizeof response - 1, MSG_NOSIGNAL);
            recv(connection, buffer, sizeof buffer, 0);
        }
        close(connection);
    }
}

int main(void) {
    if (send_requests(serve)) return 1;
    printf("%d requests: right\n", request_count);
    return 0;
}
