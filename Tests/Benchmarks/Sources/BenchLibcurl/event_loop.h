/// Drives multi handles with epoll and curl_multi_socket_action, so that what is idle costs nothing.

#ifndef EVENT_LOOP_H
#define EVENT_LOOP_H

#include "library.h"

struct event_loop;

struct event_loop *event_loop_make(void);
void event_loop_free(struct event_loop *loop);

/// Drives a multi handle until the loop is freed, which has to be after the handle's cleanup.
void event_loop_add(struct event_loop *loop, CURLM *multi);

/// Has libcurl do what it wants to do by now.
void event_loop_run_timers(struct event_loop *loop);

/// Waits for events, at most so long, and has libcurl handle them.
void event_loop_wait(struct event_loop *loop, int milliseconds);

#endif
