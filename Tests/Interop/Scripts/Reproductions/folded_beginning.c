// A response that begins with a folded line, and is not the first one of its easy handle. libcurl 7.84.0 to 8.0.1
// appends the line to the last field of the response before (data->state.prevhead), which it has freed, so that the
// process ends by a signal. 8.1.0 forgets the field. curl's issue 11101.
#include "loopback.h"

static const char plain[] = "HTTP/1.1 200 OK\r\nX: value\r\nContent-Length: 2\r\n\r\nok";
static const char folded[] = "HTTP/1.1 200 OK\r\n folded: line\r\nContent-Length: 2\r\n\r\nok";

static void *serve(void *context) {
    char buffer[4096];
    for (;;) {
        int connection = accept(*(int *)context, NULL, NULL);
        if (connection < 0) return NULL;
        for (int i = 0; recv(connection, buffer, sizeof buffer, 0) > 0; i++) {
            send(connection, i % 2 ? folded : plain, (i % 2 ? sizeof folded : sizeof plain) - 1, MSG_NOSIGNAL);
        }
        close(connection);
    }
}

int main(int count, char **arguments) {
    // free() of glibc fills what is freed with this byte, so that its use is seen each time.
    if (!getenv("MALLOC_PERTURB_")) {
        setenv("MALLOC_PERTURB_", "165", 1);
        execv("/proc/self/exe", arguments);
    }
    send_requests(serve);
    printf("%d requests: the process goes on\n", request_count);
    return 0;
}
