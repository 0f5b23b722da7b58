#include "client.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { message_length = 1024, slow_consumer_sleep_us = 4000 };

static curl_slist *json_fields, *usual_fields;
static char message[message_length + 1];

static void write_message(void) {
    static const char head[] = "{\"id\":1,\"text\":\"", tail[] = "\"}";
    memset(message, 'a', message_length);
    memcpy(message, head, sizeof head - 1);
    memcpy(message + message_length - (sizeof tail - 1), tail, sizeof tail - 1);
    json_fields = curl.slist_append(NULL, "Content-Type: application/json");
}

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    struct transfer *transfer = context;
    int64_t before = transfer->content_length;
    transfer->content_length += (int64_t)(size * count);
    if (transfer->sleeps) {
        for (int64_t i = before >> 20; i < transfer->content_length >> 20; i++) usleep(slow_consumer_sleep_us);
    }
    return size * count;
}

void prepare(struct transfer *transfer, const struct options *options) {
    CURL *easy = transfer->easy = curl.easy_init();
    if (!easy) end("memory", "is used up");
    transfer->sleeps = options->workload == workload_slow;
    curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl.easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    // With a folder of certificates besides the bundle, which is the default, libcurl reads the bundle anew for each
    // connection.
    curl.easy_setopt(easy, CURLOPT_CAPATH, (char *)NULL);
    curl.easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
    curl.easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    if (options->sends_fields) {
        if (!usual_fields) usual_fields = curl.slist_append(NULL, "Accept-Language: en");
        curl.easy_setopt(easy, CURLOPT_USERAGENT, "BenchSessionManager/1.0 (Linux)");
        curl.easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate, br, zstd");
        curl.easy_setopt(easy, CURLOPT_HTTPHEADER, usual_fields);
    }
    if (options->buffer_size) curl.easy_setopt(easy, CURLOPT_BUFFERSIZE, options->buffer_size);
    if (options->workload == workload_post) {
        if (!json_fields) write_message();
        curl.easy_setopt(easy, CURLOPT_POSTFIELDS, message);
        curl.easy_setopt(easy, CURLOPT_HTTPHEADER, json_fields);
    }
}

struct client make_client(const struct options *options) {
    struct client client = {.multi = curl.multi_init(), .count = options->in_flight};
    client.transfers = calloc((size_t)client.count, sizeof *client.transfers);
    if (!client.multi || !client.transfers) end("memory", "is used up");
    curl.multi_setopt(client.multi, CURLMOPT_MAX_HOST_CONNECTIONS, options->connections);
    curl.multi_setopt(client.multi, CURLMOPT_MAXCONNECTS, options->connections);
    if (options->uses_epoll) {
        client.loop = event_loop_make();
        event_loop_add(client.loop, client.multi);
    }
    for (long i = 0; i < client.count; i++) prepare(&client.transfers[i], options);
    return client;
}

void free_client(struct client *client) {
    for (long i = 0; i < client->count; i++) curl.easy_cleanup(client->transfers[i].easy);
    curl.multi_cleanup(client->multi);
    if (client->loop) event_loop_free(client->loop);
    free(client->transfers);
}

void perform(struct client *client) {
    int running;
    if (client->loop) event_loop_run_timers(client->loop);
    else curl.multi_perform(client->multi, &running);
}

void await_events(struct client *client) {
    if (client->loop) event_loop_wait(client->loop, 1000);
    else curl.multi_poll(client->multi, NULL, 0, 1000, NULL);
}

static void begin(struct client *client, struct transfer *transfer) {
    transfer->content_length = 0;
    curl.multi_add_handle(client->multi, transfer->easy);
}

static void check(const CURLMsg *done, const struct transfer *transfer, int64_t expected_length, const char *url) {
    if (done->data.result != 0) end(url, curl.easy_strerror(done->data.result));
    long status = 0;
    curl.easy_getinfo(done->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) end(url, "the status is not 200");
    if (expected_length >= 0 && transfer->content_length != expected_length) end(url, "the content has another length");
}

int64_t run(struct client *client, const char *url, int64_t expected_length, int64_t requests, double seconds) {
    int64_t deadline = seconds > 0 ? monotonic_time() + (int64_t)(seconds * 1e6) : INT64_MAX;
    int64_t begun = 0, finished = 0;
    for (long i = 0; i < client->count && begun < requests; i++, begun++) {
        curl.easy_setopt(client->transfers[i].easy, CURLOPT_URL, url);
        begin(client, &client->transfers[i]);
    }
    while (finished < begun) {
        int remaining = 0;
        perform(client);
        bool restarted = false;
        for (CURLMsg *done; (done = curl.multi_info_read(client->multi, &remaining));) {
            if (done->msg != CURLMSG_DONE) continue;
            struct transfer *transfer = NULL;
            curl.easy_getinfo(done->easy, CURLINFO_PRIVATE, &transfer);
            check(done, transfer, expected_length, url);
            curl.multi_remove_handle(client->multi, transfer->easy);
            finished++;
            if (begun < requests && (deadline == INT64_MAX || monotonic_time() < deadline)) {
                begin(client, transfer);
                begun++;
                restarted = true;
            }
        }
        if (!restarted && finished < begun) await_events(client);
    }
    return finished;
}
