// A transfer that is cancelled takes others with it: nghttp2 from 1.67 on counts each DATA frame of a closed stream as
// suspicious, and ends the connection with ENHANCE_YOUR_CALM after a thousand of them (NGHTTP2_DEFAULT_GLITCH_BURST).
// So many may be on their way when the client cancels, within the windows that libcurl has granted.
#include "conversation.h"

enum { frames_on_the_way = 1200, frame_length = 1000 };

int main(void) {
    load();
    transfer cancelled = {0}, other = {0};
    begin(&cancelled, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
    static uint8_t frames[(frames_on_the_way + 1) * (frame_length + 9)], content[frame_length];
    size_t count = 0;
    count += frame(frames + count, SETTINGS, 0, 0, NULL, 0);
    count += frame(frames + count, SETTINGS, ACK, 0, NULL, 0);
    count += frame(frames + count, HEADERS, END_HEADERS, 1, "\x88", 1);
    answer(frames, count);
    begin(&other, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
    count = frame(frames, HEADERS, END_HEADERS, 3, "\x88", 1);
    answer(frames, count);
    curl.multi_remove_handle(multi, cancelled.easy);
    settle();
    count = 0;
    for (int i = 0; i < frames_on_the_way; i++) count += frame(frames + count, DATA, 0, 1, content, frame_length);
    count += frame(frames + count, DATA, END_STREAM, 3, content, frame_length);
    answer(frames, count);
    report("other", &other);
    return other.has_ended && other.result == 0 && other.count == frame_length ? 0 : 1;
}
