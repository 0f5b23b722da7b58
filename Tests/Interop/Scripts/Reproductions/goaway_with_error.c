// A GOAWAY with an error code that names a lower stream: the server has not processed the request (RFC 9113, section
// 6.8), which can be sent again. libcurl up to 8.22 does so itself, on a new connection. libcurl 8.23 fails the request
// with error 92, "reset by curl".
#include "conversation.h"

int main(void) {
    load();
    transfer first = {0}, second = {0};
    uint8_t frames[256];
    size_t count = 0;
    begin(&first, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
    count += frame(frames + count, SETTINGS, 0, 0, NULL, 0);
    count += frame(frames + count, SETTINGS, ACK, 0, NULL, 0);
    count += frame(frames + count, HEADERS, END_HEADERS | END_STREAM, 1, "\x88", 1);
    answer(frames, count);
    report("first", &first);
    begin(&second, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
    // The last stream is 1, the code INTERNAL_ERROR.
    count = frame(frames, GOAWAY, 0, 0, "\0\0\0\1\0\0\0\2", 8);
    answer(frames, count);
    report("second", &second);
    // 7: it was sent again, for which there is no second server here.
    return first.result == 0 && second.result == 7 ? 0 : 1;
}
