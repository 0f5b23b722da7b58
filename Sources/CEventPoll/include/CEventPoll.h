/// A wait for many sockets whose cost is that of the sockets that are ready, and that any thread can end: epoll.

#ifndef CEVENTPOLL_H
#define CEVENTPOLL_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The conditions of a socket, a set of bits.
enum {
    EVENT_POLL_READABLE = 1,
    EVENT_POLL_WRITABLE = 2,
    /// The socket has an error or was closed by both sides; reported without being asked for.
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

/// Opens a poll, whose descriptor child processes do not inherit.
///
/// @return Whether that worked; else errno says why.
bool event_poll_open(event_poll *poll);
void event_poll_close(event_poll poll);

/// Watches a socket for these conditions, in place of those that it was watched for.
///
/// @param is_new Whether it was watched for none; a wrong value costs a call of the system.
void event_poll_watch(event_poll poll, int socket, int conditions, bool is_new);
void event_poll_forget(event_poll poll, int socket);

/// Waits until a socket has a condition that it is watched for, the wait is ended, or the time is over.
///
/// @param milliseconds The longest wait; 0 to look only.
/// @return The number of events, which is 0 if the wait was ended.
int event_poll_wait(event_poll poll, event_poll_event *events, int capacity, int milliseconds);

/// Ends the wait, or the next one; for any thread.
void event_poll_wake(event_poll poll);

#pragma clang assume_nonnull end

#endif
