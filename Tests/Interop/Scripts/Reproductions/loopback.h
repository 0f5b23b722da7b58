// A server on the loopback interface, and an easy handle of the libcurl that the loader finds, which sends it requests
// one after the other.
#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CURLOPT_URL = 10002, CURLOPT_ERRORBUFFER = 10010, CURLOPT_WRITEFUNCTION = 20011, request_count = 20 };

static size_t ignore(char *bytes, size_t size, size_t count, void *context) { return size * count; }

// Sends the requests, prints the version of libcurl and each error, and returns the number of errors. The server is a
// function that gets a pointer to the listening socket, and does not return.
static int send_requests(void *(*serve)(void *)) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
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
        exit(2);
    }
    char url[64], message[256] = "";
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", ntohs(address.sin_port));
    void *easy = easy_init();
    easy_setopt(easy, CURLOPT_URL, url);
    easy_setopt(easy, CURLOPT_ERRORBUFFER, message);
    easy_setopt(easy, CURLOPT_WRITEFUNCTION, ignore);
    int failures = 0;
    for (int i = 0; i < request_count; i++) {
        int result = easy_perform(easy);
        if (!result) continue;
        failures++;
        printf("request %d: error %d, %s\n", i, result, message);
    }
    return failures;
}
