// A response that begins with a folded line, and is not the first one of its easy handle. libcurl 7.84.0 to 8.0.1
// appends the line to the last field of the response before (data->state.prevhead), which it has freed, so that the
// process ends by a signal. 8.1.0 forgets the field. curl's issue 11101.
#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CURLOPT_URL = 10002, CURLOPT_ERRORBUFFER = 10010, CURLOPT_WRITEFUNCTION = 20011, request_count = 20 };

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

static size_t ignore(char *bytes, size_t size, size_t count, void *context) { return size * count; }

int main(int count, char **arguments) {
    // free() of glibc fills what is freed with this byte, so that its use is seen each time.
    if (!getenv("MALLOC_PERTURB_")) {
        setenv("MALLOC_PERTURB_", "165", 1);
        execv("/proc/self/exe", arguments);
    }
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
    fflush(stdout);

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
        if (result) printf("request %d: error %d, %s\n", i, result, message);
    }
    printf("%d requests: the process goes on\n", request_count);
    return 0;
}
