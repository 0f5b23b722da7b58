/// A wait for many sockets, by epoll. Any thread can end the wait. Its cost depends only on the number of sockets that
/// are ready.
///
/// The wait is written by hand, because a source of Dispatch passes each event to another thread, and poll reads all
/// sockets each time.

#ifndef CEVENTPOLL_H
#define CEVENTPOLL_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The conditions of a socket, a set of bits.
enum {
    EVENT_POLL_READABLE = 1,
    EVENT_POLL_WRITABLE = 2,
    /// The socket has an error or was closed by both sides. This is always reported, even if it is not watched for.
    EVENT_POLL_FAILED = 4,
};

typedef struct {
    int poll;
    int wakeup;
} event_poll;

typedef struct {
    int socket;
    int conditions;
} event_poll_event;

/// Opens a poll. Child processes do not inherit its descriptor.
///
/// @return Whether that succeeded. If not, errno has the reason.
bool event_poll_open(event_poll *poll);
void event_poll_close(event_poll poll);

/// Watches a socket for these conditions, instead of the previous ones.
///
/// @param is_new Whether the socket was not watched before. A wrong value costs one more system call.
void event_poll_watch(event_poll poll, int socket, int conditions, bool is_new);
void event_poll_forget(event_poll poll, int socket);

/// Waits until a socket has a condition for which it is watched, another thread ends the wait, or the time is over.
///
/// @param milliseconds The maximum time to wait; 0 to only check the sockets.
/// @return The number of events, which is 0 if the wait was ended.
int event_poll_wait(event_poll poll, event_poll_event *events, int capacity, int milliseconds);

/// Ends the current wait; if no thread waits, the next wait ends immediately. May be called on any thread.
void event_poll_wake(event_poll poll);

#pragma clang assume_nonnull end

#endif
