#include "client.h"

#include <stdlib.h>

enum { opening_at_once = 64 };

static CURLM *make_multi(struct client *client, const struct options *options) {
    if (options->streams_per_multi == 0) return client->multi;
    CURLM *multi = curl.multi_init();
    if (!multi) end("memory", "is used up");
    curl.multi_setopt(multi, CURLMOPT_MAXCONNECTS, options->idle_streams);
    event_loop_add(client->loop, multi);
    return multi;
}

/// How many of the streams that have been begun have no content yet; of those from `first` on, which is moved on.
static long count_silent(const struct transfer *transfers, long *first, long begun) {
    long count = 0;
    while (*first < begun && transfers[*first].content_length > 0) (*first)++;
    for (long i = *first; i < begun; i++) count += transfers[i].content_length == 0;
    return count;
}

/// A stream that has ended does not come to have content; there is nothing else that could end.
static void check(CURLM *multi, const struct options *options) {
    int remaining;
    CURLMsg *done = curl.multi_info_read(multi, &remaining);
    if (done) end(options->idle_url, done->data.result ? curl.easy_strerror(done->data.result) : "the stream has ended");
}

struct opening open_streams(struct client *client, const struct options *options) {
    struct opening opening = {.streams = options->idle_streams};
    if (opening.streams == 0) return opening;
    opening.resident_kib = -read_status(0).resident_kib;
    meter_start(&opening.meter);
    struct transfer *transfers = calloc((size_t)opening.streams, sizeof *transfers);
    if (!transfers) end("memory", "is used up");
    long first = 0, begun = 0;
    long size = options->streams_per_multi > 0 ? options->streams_per_multi : opening.streams;
    CURLM *multi = NULL;
    for (;;) {
        long silent = count_silent(transfers, &first, begun);
        if (silent == 0 && begun == opening.streams) break;
        for (; silent < opening_at_once && begun < opening.streams; silent++, begun++) {
            if (begun % size == 0) multi = make_multi(client, options);
            prepare(&transfers[begun], options);
            curl.easy_setopt(transfers[begun].easy, CURLOPT_URL, options->idle_url);
            // Otherwise the others might wait until the first response has ended.
            curl.easy_setopt(transfers[begun].easy, CURLOPT_PIPEWAIT, 0L);
            curl.multi_add_handle(multi, transfers[begun].easy);
        }
        perform(client);
        check(multi, options);
        await_events(client);
    }
    meter_stop(&opening.meter);
    opening.resident_kib += read_status(0).resident_kib;
    return opening;
}
