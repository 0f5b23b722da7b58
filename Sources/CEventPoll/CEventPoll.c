#include "CEventPoll.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { batch = 256 };

bool event_poll_open(event_poll *poll) {
    poll->poll = epoll_create1(EPOLL_CLOEXEC);
    if (poll->poll < 0) return false;
    poll->wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    // Edge-triggered: each wakeup is an event of its own, and the counter need not be read.
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data = {.fd = -1}};
    if (poll->wakeup >= 0 && epoll_ctl(poll->poll, EPOLL_CTL_ADD, poll->wakeup, &event) == 0) return true;
    int error = errno;
    event_poll_close(*poll);
    errno = error;
    return false;
}

void event_poll_close(event_poll poll) {
    if (poll.wakeup >= 0) close(poll.wakeup);
    close(poll.poll);
}

void event_poll_watch(event_poll poll, int socket, int conditions, bool is_new) {
    struct epoll_event event = {.data = {.fd = socket}};
    if (conditions & EVENT_POLL_READABLE) event.events |= EPOLLIN;
    if (conditions & EVENT_POLL_WRITABLE) event.events |= EPOLLOUT;
    if (epoll_ctl(poll.poll, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event) == 0) return;
    if (errno == EEXIST) epoll_ctl(poll.poll, EPOLL_CTL_MOD, socket, &event);
    if (errno == ENOENT) epoll_ctl(poll.poll, EPOLL_CTL_ADD, socket, &event);
}

void event_poll_forget(event_poll poll, int socket) {
    struct epoll_event unused = {0};
    epoll_ctl(poll.poll, EPOLL_CTL_DEL, socket, &unused);
}

int event_poll_wait(event_poll poll, event_poll_event *events, int capacity, int milliseconds) {
    struct epoll_event ready[batch];
    int count = epoll_wait(poll.poll, ready, capacity < batch ? capacity : batch, milliseconds);
    int sockets = 0;
    for (int index = 0; index < count; index++) {
        if (ready[index].data.fd < 0) continue;
        int conditions = 0;
        if (ready[index].events & EPOLLIN) conditions |= EVENT_POLL_READABLE;
        if (ready[index].events & EPOLLOUT) conditions |= EVENT_POLL_WRITABLE;
        if (ready[index].events & (EPOLLERR | EPOLLHUP)) conditions |= EVENT_POLL_FAILED;
        events[sockets++] = (event_poll_event){.socket = ready[index].data.fd, .conditions = conditions};
    }
    return sockets;
}

void event_poll_wake(event_poll poll) {
    uint64_t one = 1;
    // The counter cannot be full: it holds 2^64 - 2.
    ssize_t written = write(poll.wakeup, &one, sizeof one);
    (void)written;
}

#endif
