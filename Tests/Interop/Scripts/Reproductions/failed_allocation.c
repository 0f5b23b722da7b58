// A failed allocation ends the process with SIGFPE: libcurl 7.88.1, with the multi_socket interface. When the record of
// a transfer's socket cannot be stored (singlesocket in lib/multi.c), libcurl destroys the table of transfers of the
// socket, but keeps the socket. The next use of the table divides by its size, which is 0.
//
//     cc -o failed_allocation failed_allocation.c -ldl && ./failed_allocation
//
// Each allocation of a transfer fails once, in a process of its own. The allocations that end the process are listed.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long count, failing;
static size_t failed_size;

static int fails(size_t size) {
    if (++count != failing) return 0;
    failed_size = size;
    fprintf(stderr, "allocation %ld, of %zu bytes, fails\n", count, size);
    return 1;
}

static void *allocate(size_t size) { return fails(size) ? NULL : malloc(size); }
static void *allocate_zeros(size_t number, size_t size) { return fails(number * size) ? NULL : calloc(number, size); }
static void *change(void *memory, size_t size) { return fails(size) ? NULL : realloc(memory, size); }
static char *copy(const char *text) { return fails(strlen(text) + 1) ? NULL : strdup(text); }

static int watched = -1, wanted;

static int watch(void *easy, int socket, int what, void *context, void *state) {
    (void)easy, (void)context, (void)state;
    watched = what == 4 ? -1 : socket;
    wanted = what;
    return 0;
}

static int set_timer(void *multi, long milliseconds, void *context) {
    (void)multi, (void)milliseconds, (void)context;
    return 0;
}

static size_t discard(char *bytes, size_t size, size_t number, void *context) {
    (void)bytes, (void)context;
    return size * number;
}

// Answers one request.
static void serve(int listener) {
    char request[4096];
    static const char response[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    int client = accept(listener, NULL, NULL);
    if (read(client, request, sizeof request) > 0) (void)!write(client, response, sizeof response - 1);
    _exit(0);
}

static void transfer(void *library, int port) {
    void *(*easy_init)(void) = dlsym(library, "curl_easy_init");
    int (*easy_setopt)(void *, int, ...) = dlsym(library, "curl_easy_setopt");
    void *(*multi_init)(void) = dlsym(library, "curl_multi_init");
    int (*multi_setopt)(void *, int, ...) = dlsym(library, "curl_multi_setopt");
    int (*multi_add)(void *, void *) = dlsym(library, "curl_multi_add_handle");
    int (*multi_action)(void *, int, int, int *) = dlsym(library, "curl_multi_socket_action");
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", port);
    void *multi = multi_init(), *easy = easy_init();
    if (!multi || !easy) return;
    multi_setopt(multi, 20001 /* CURLMOPT_SOCKETFUNCTION */, watch);
    multi_setopt(multi, 20004 /* CURLMOPT_TIMERFUNCTION */, set_timer);
    if (easy_setopt(easy, 10002 /* CURLOPT_URL */, url) || easy_setopt(easy, 20011 /* CURLOPT_WRITEFUNCTION */, discard)
        || multi_add(multi, easy)) {
        return;
    }
    int running = 1;
    for (int round = 0; round < 500 && running; round++) {
        struct pollfd item = {watched, (wanted & 1 ? POLLIN : 0) | (wanted & 2 ? POLLOUT : 0), 0};
        if (poll(&item, watched >= 0, 2) > 0) {
            int conditions = (item.revents & POLLIN ? 1 : 0) | (item.revents & POLLOUT ? 2 : 0);
            multi_action(multi, watched, conditions, &running);
        } else {
            multi_action(multi, -1, 0, &running);
        }
    }
}

int main(void) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 2;
    int (*global_init)(long, void *, void *, void *, void *, void *) = dlsym(library, "curl_global_init_mem");
    const char *(*version)(void) = dlsym(library, "curl_version");
    global_init(3, allocate, free, change, copy, allocate_zeros);
    puts(version());
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    bind(listener, (struct sockaddr *)&address, size);
    listen(listener, 16);
    getsockname(listener, (struct sockaddr *)&address, &size);
    int crashes = 0;
    for (failing = 1;; failing++) {
        fflush(stdout);
        pid_t server = fork();
        if (server == 0) serve(listener);
        pid_t client = fork();
        if (client == 0) {
            count = 0;
            transfer(library, ntohs(address.sin_port));
            // 1 if no allocation has failed, because there are fewer.
            _exit(failed_size == 0);
        }
        int status;
        waitpid(client, &status, 0);
        kill(server, 9);
        waitpid(server, NULL, 0);
        if (WIFSIGNALED(status)) {
            crashes++;
            printf("allocation %ld: signal %d\n", failing, WTERMSIG(status));
        } else if (WEXITSTATUS(status) == 1) {
            break;
        }
    }
    printf("%ld allocations, %d end the process\n", failing - 1, crashes);
    return crashes == 0 ? 0 : 1;
}
