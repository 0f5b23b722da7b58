// A transfer that pauses twice fails with error 23 and loses content: libcurl 8.16.0, with any version of HTTP. The
// second pause has to fall within the call of curl_easy_pause that ends the first one. curl's change 7e91f24c73
// "cw-out: fix EAGAIN handling on pause", in 8.17.0, corrects it.
#include "conversation.h"

enum { length = 40000 };

static int pauses;

static size_t take(char *bytes, size_t size, size_t count, void *context) {
    if (pauses++ < 2) return CURL_WRITEFUNC_PAUSE;
    return count_content(bytes, size, count, context);
}

int main(void) {
    load();
    transfer only = {0};
    begin(&only, CURL_HTTP_VERSION_1_1);
    curl.easy_setopt(only.easy, CURLOPT_WRITEFUNCTION, take);
    char response[length + 100];
    int head = sprintf(response, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", length);
    memset(response + head, 'x', length);
    answer(response, head + length);
    for (int round = 0; round < 4 && !only.has_ended; round++) {
        curl.easy_pause(only.easy, 0);
        settle();
    }
    report("transfer", &only);
    return only.has_ended && only.result == 0 && only.count == length ? 0 : 1;
}
