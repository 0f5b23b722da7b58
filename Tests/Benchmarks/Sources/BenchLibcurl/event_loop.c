#include "event_loop.h"
#include "measuring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

enum { event_count = 256 };

/// A multi handle, and when it wants to be called though nothing has arrived.
struct driven {
    struct event_loop *loop;
    CURLM *multi;
    uint32_t index;
    int64_t deadline; // INT64_MAX for none
};

struct event_loop {
    int poller;
    struct driven **items;
    uint32_t count;
    /// What epoll watches each descriptor for; 0 if it does not.
    uint8_t *watched;
    size_t descriptor_limit;
};

static int watch(CURL *easy, int descriptor, int what, void *context, void *socket_context) {
    (void)easy;
    (void)socket_context;
    struct driven *driven = context;
    struct event_loop *loop = driven->loop;
    if (descriptor < 0 || (size_t)descriptor >= loop->descriptor_limit) return -1;
    uint8_t *watched = &loop->watched[descriptor];
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(loop->poller, EPOLL_CTL_DEL, descriptor, NULL);
        *watched = 0;
        return 0;
    }
    struct epoll_event event = {.data.u64 = (uint64_t)driven->index << 32 | (uint32_t)descriptor};
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    if (epoll_ctl(loop->poller, *watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event) != 0) return -1;
    *watched = (uint8_t)what;
    return 0;
}

static int set_timer(CURLM *multi, long milliseconds, void *context) {
    (void)multi;
    struct driven *driven = context;
    driven->deadline = milliseconds < 0 ? INT64_MAX : milliseconds == 0 ? 0 : monotonic_time() + milliseconds * 1000;
    return 0;
}

struct event_loop *event_loop_make(void) {
    struct event_loop *loop = calloc(1, sizeof *loop);
    struct rlimit limit;
    if (!loop || getrlimit(RLIMIT_NOFILE, &limit) != 0) end("memory", "is used up");
    loop->descriptor_limit = limit.rlim_cur;
    loop->watched = calloc(loop->descriptor_limit, 1);
    loop->poller = epoll_create1(EPOLL_CLOEXEC);
    if (!loop->watched || loop->poller < 0) end("epoll_create1", strerror(errno));
    return loop;
}

void event_loop_free(struct event_loop *loop) {
    for (uint32_t i = 0; i < loop->count; i++) free(loop->items[i]);
    close(loop->poller);
    free(loop->items);
    free(loop->watched);
    free(loop);
}

void event_loop_add(struct event_loop *loop, CURLM *multi) {
    struct driven *driven = malloc(sizeof *driven);
    loop->items = realloc(loop->items, (loop->count + 1) * sizeof *loop->items);
    if (!driven || !loop->items) end("memory", "is used up");
    *driven = (struct driven){.loop = loop, .multi = multi, .index = loop->count, .deadline = INT64_MAX};
    loop->items[loop->count++] = driven;
    curl.multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl.multi_setopt(multi, CURLMOPT_SOCKETDATA, driven);
    curl.multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl.multi_setopt(multi, CURLMOPT_TIMERDATA, driven);
}

static int64_t next_deadline(const struct event_loop *loop) {
    int64_t next = INT64_MAX;
    for (uint32_t i = 0; i < loop->count; i++) {
        if (loop->items[i]->deadline < next) next = loop->items[i]->deadline;
    }
    return next;
}

void event_loop_run_timers(struct event_loop *loop) {
    int64_t now = monotonic_time();
    for (uint32_t i = 0; i < loop->count; i++) {
        struct driven *driven = loop->items[i];
        if (driven->deadline > now) continue;
        driven->deadline = INT64_MAX;
        int running;
        curl.multi_socket_action(driven->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
}

void event_loop_wait(struct event_loop *loop, int milliseconds) {
    int64_t next = next_deadline(loop);
    if (next != INT64_MAX) {
        int64_t remaining = next == 0 ? 0 : (next - monotonic_time() + 999) / 1000;
        if (remaining < milliseconds) milliseconds = remaining > 0 ? (int)remaining : 0;
    }
    struct epoll_event events[event_count];
    int count = epoll_wait(loop->poller, events, event_count, milliseconds);
    for (int i = 0; i < count; i++) {
        struct driven *driven = loop->items[events[i].data.u64 >> 32];
        int descriptor = (int)(uint32_t)events[i].data.u64, what = 0, running;
        if (!loop->watched[descriptor]) continue; // since an event before it
        if (events[i].events & EPOLLIN) what |= CURL_CSELECT_IN;
        if (events[i].events & EPOLLOUT) what |= CURL_CSELECT_OUT;
        if (events[i].events & (EPOLLERR | EPOLLHUP)) what |= CURL_CSELECT_ERR;
        curl.multi_socket_action(driven->multi, descriptor, what, &running);
    }
    if (next != INT64_MAX) event_loop_run_timers(loop);
}
