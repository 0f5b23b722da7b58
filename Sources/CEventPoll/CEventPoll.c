#include "CEventPoll.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <errno.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { batch = 256 };

/// A descriptor that is always readable. If a poll begins to watch it, the wait of that poll ends. All polls of the
/// process share the descriptor, so that each of them needs only one descriptor.
static int always_readable = -1;
static pthread_mutex_t always_readable_lock = PTHREAD_MUTEX_INITIALIZER;

static int find_always_readable(void) {
    pthread_mutex_lock(&always_readable_lock);
    // After a failure, the next call tries again, because a descriptor may be free by then.
    if (always_readable < 0) always_readable = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    int descriptor = always_readable;
    pthread_mutex_unlock(&always_readable_lock);
    return descriptor;
}

bool event_poll_open(event_poll *poll) {
    int wakeup = find_always_readable();
    if (wakeup < 0) return false;
    int descriptor = epoll_create1(EPOLL_CLOEXEC);
    if (descriptor < 0) return false;
    // No event is watched at first. event_poll_wake sets the event.
    struct epoll_event event = {.events = EPOLLONESHOT, .data = {.fd = -1}};
    *poll = (event_poll){.poll = descriptor, .wakeup = wakeup};
    if (epoll_ctl(descriptor, EPOLL_CTL_ADD, wakeup, &event) == 0) return true;
    int error = errno;
    close(descriptor);
    errno = error;
    return false;
}

void event_poll_close(event_poll poll) { close(poll.poll); }

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
    // Watched for one event only. After the event, the descriptor is no longer watched.
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data = {.fd = -1}};
    epoll_ctl(poll.poll, EPOLL_CTL_MOD, poll.wakeup, &event);
}

#endif
