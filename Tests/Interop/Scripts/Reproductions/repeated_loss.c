// Requests of one easy handle whose kept connections are lost: libcurl from 7.72 on sends each of them again, but adds
// up these repetitions over all transfers of the handle (data->state.retrycount). The sixth one fails: "Connection
// died, tried 5 times before giving up". Only curl_easy_reset and the failure itself begin a new count.
#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CURLOPT_URL = 10002, CURLOPT_ERRORBUFFER = 10010, CURLOPT_WRITEFUNCTION = 20011, request_count = 20 };

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

static size_t ignore(char *bytes, size_t size, size_t count, void *context) { return size * count; }

int main(void) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    char *(*version)(void) = dlsym(library, "curl_version");
    void *(*easy_init)(void) = dlsym(library, "curl_easy_init");
    int (*easy_setopt)(void *, int, ...) = dlsym(library, "curl_easy_setopt");
    int (*easy_perform)(void *) = dlsym(library, "curl_easy_perform");
    puts(version());

    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    pthread_t thread;
    if (bind(listener, (void *)&address, size) || listen(listener, 8) || getsockname(listener, (void *)&address, &size)
        || pthread_create(&thread, NULL, serve, &listener)) {
        perror("server");
        return 2;
    }
    char url[64], message[256] = "";
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", ntohs(address.sin_port));
    void *easy = easy_init();
    easy_setopt(easy, CURLOPT_URL, url);
    easy_setopt(easy, CURLOPT_ERRORBUFFER, message);
    easy_setopt(easy, CURLOPT_WRITEFUNCTION, ignore);
    for (int i = 0; i < request_count; i++) {
        int result = easy_perform(easy);
        if (result) {
            printf("request %d: error %d, %s\n", i, result, message);
            return 1;
        }
    }
    printf("%d requests: right\n", request_count);
    return 0;
}
