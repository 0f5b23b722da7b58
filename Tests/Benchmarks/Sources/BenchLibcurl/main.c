/// What the C library itself needs.

#include "client.h"

#include <stddef.h>

static void measure_requests(const struct options *options) {
    struct client client = make_client(options);
    const char *warm_up_url = options->warm_up_url ? options->warm_up_url : options->url;
    run(&client, warm_up_url, -1, options->warm_up_requests, 0);

    struct opening opening = open_streams(&client, options);

    struct meter meter = {0};
    meter_start(&meter);
    int64_t finished = run(&client, options->url, options->content_length, options->requests, options->seconds);
    meter_stop(&meter);
    report(finished, meter, opening, NULL, 0);
    if (opening.streams == 0) free_client(&client);
}

static void measure_sessions(const struct options *options) {
    struct meter meter = {0};
    struct status samples[2];
    int count = 0;
    for (int64_t number = 1; number <= options->requests; number++) {
        meter_start(&meter);
        struct client client = make_client(options);
        run(&client, options->url, options->content_length, 1, 0);
        free_client(&client);
        meter_stop(&meter);
        if (count < 2 && (number == options->requests / 5 || number == options->requests)) {
            samples[count++] = read_status(number);
        }
    }
    report(options->requests, meter, (struct opening){0}, samples, count);
}

int main(int count, char **arguments) {
    struct options options = read_options(count, arguments);
    load_library();
    if (options.workload == workload_sessions) {
        measure_sessions(&options);
    } else {
        measure_requests(&options);
    }
    return 0;
}
