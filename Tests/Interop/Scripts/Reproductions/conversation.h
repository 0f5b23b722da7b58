// A conversation of libcurl with a server in the same thread, over a pair of sockets. libcurl is loaded by name, so
// that LD_LIBRARY_PATH chooses it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CURLOPT_URL = 10002, CURLOPT_ERRORBUFFER = 10010, CURLOPT_WRITEDATA = 10001, CURLOPT_WRITEFUNCTION = 20011,
    CURLOPT_HTTP_VERSION = 84, CURLOPT_BUFFERSIZE = 98, CURLOPT_PRIVATE = 10103, CURLOPT_SOCKOPTFUNCTION = 20148,
    CURLOPT_OPENSOCKETFUNCTION = 20163, CURLOPT_UNIX_SOCKET_PATH = 10231, CURLOPT_PIPEWAIT = 237,
    CURL_HTTP_VERSION_1_1 = 2, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE = 5, CURL_SOCKOPT_ALREADY_CONNECTED = 2,
    CURL_WRITEFUNC_PAUSE = 0x10000001, CURLINFO_PRIVATE = 1048597, CURLMOPT_PIPELINING = 3,
    DATA = 0, HEADERS = 1, SETTINGS = 4, GOAWAY = 7, END_STREAM = 1, ACK = 1, END_HEADERS = 4,
};

typedef struct {
    void *easy;
    bool has_ended;
    int result;
    size_t count;
    char message[256];
} transfer;

static struct {
    char *(*version)(void);
    int (*global_init)(long);
    void *(*easy_init)(void);
    int (*easy_setopt)(void *, int, ...);
    int (*easy_getinfo)(void *, int, ...);
    int (*easy_pause)(void *, int);
    void *(*multi_init)(void);
    int (*multi_setopt)(void *, int, ...);
    int (*multi_add_handle)(void *, void *);
    int (*multi_remove_handle)(void *, void *);
    int (*multi_perform)(void *, int *);
    struct { int kind; void *easy; union { void *other; int result; } data; } *(*multi_info_read)(void *, int *);
} curl;

static void *multi;
static int server = -1, client = -1;

static int open_socket(void *context, int purpose, void *address) {
    int socket = client;
    client = -1; // For a second connection there is no server.
    return socket;
}

static int set_options(void *context, int socket, int purpose) { return CURL_SOCKOPT_ALREADY_CONNECTED; }

static void load(void) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    const struct { const char *name; void *function; } functions[] = {
        {"curl_version", &curl.version}, {"curl_global_init", &curl.global_init}, {"curl_easy_init", &curl.easy_init},
        {"curl_easy_setopt", &curl.easy_setopt}, {"curl_easy_getinfo", &curl.easy_getinfo},
        {"curl_easy_pause", &curl.easy_pause}, {"curl_multi_init", &curl.multi_init},
        {"curl_multi_setopt", &curl.multi_setopt}, {"curl_multi_add_handle", &curl.multi_add_handle},
        {"curl_multi_remove_handle", &curl.multi_remove_handle}, {"curl_multi_perform", &curl.multi_perform},
        {"curl_multi_info_read", &curl.multi_info_read},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        *(void **)functions[i].function = dlsym(library, functions[i].name);
    curl.global_init(3);
    puts(curl.version());
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends)) exit(2);
    server = ends[0];
    client = ends[1];
    multi = curl.multi_init();
    curl.multi_setopt(multi, CURLMOPT_PIPELINING, 2L);
}

// Lets libcurl read and send all that it can, and discards what it sends.
static void settle(void) {
    static char sent[1 << 16];
    for (int turn = 0; turn < 100; turn++) {
        int running, left;
        curl.multi_perform(multi, &running);
        while (recv(server, sent, sizeof sent, 0) > 0) continue;
        for (typeof(curl.multi_info_read(multi, &left)) message; (message = curl.multi_info_read(multi, &left));) {
            transfer *ended = NULL;
            curl.easy_getinfo(message->easy, CURLINFO_PRIVATE, &ended);
            ended->has_ended = true;
            ended->result = message->data.result;
        }
    }
}

static size_t count_content(char *bytes, size_t size, size_t count, void *context) {
    ((transfer *)context)->count += size * count;
    return size * count;
}

static void begin(transfer *transfer, long version) {
    void *easy = transfer->easy = curl.easy_init();
    curl.easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl.easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->message);
    curl.easy_setopt(easy, CURLOPT_URL, "http://127.0.0.1/");
    curl.easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, "/");
    curl.easy_setopt(easy, CURLOPT_HTTP_VERSION, version);
    curl.easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    curl.easy_setopt(easy, CURLOPT_BUFFERSIZE, 1L << 16);
    curl.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl.easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, set_options);
    curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, count_content);
    curl.easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl.multi_add_handle(multi, easy);
    settle();
}

static void answer(const void *bytes, size_t count) {
    // If libcurl reads nothing more, the rest is not sent.
    for (int failures = 0; count && failures < 3;) {
        ssize_t sent = send(server, bytes, count, MSG_NOSIGNAL);
        if (sent < 0) failures++;
        else failures = 0, bytes = (const char *)bytes + sent, count -= sent;
        settle();
    }
}

// A frame of HTTP/2 (RFC 9113, section 4.1).
static inline size_t frame(uint8_t *buffer, int kind, int flags, uint32_t stream, const void *payload, size_t count) {
    const uint8_t head[9] = {count >> 16, count >> 8, count, kind, flags, stream >> 24, stream >> 16, stream >> 8, stream};
    memcpy(buffer, head, sizeof head);
    if (count) memcpy(buffer + sizeof head, payload, count);
    return sizeof head + count;
}

static void report(const char *name, const transfer *transfer) {
    if (!transfer->has_ended) printf("%s: has not ended, %zu bytes\n", name, transfer->count);
    else printf("%s: result %d, %zu bytes. %s\n", name, transfer->result, transfer->count, transfer->message);
}
