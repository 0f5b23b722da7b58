/// Access to rtnetlink, by which Linux tells of links, addresses and routes. Its messages are made and read with
/// macros, which Swift cannot call.
///
/// See rtnetlink(7). Elsewhere than on Linux every function fails with ENOSYS. Errors are returned as negative numbers,
/// those of errno.

#ifndef CNETLINK_H
#define CNETLINK_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A network interface. Its name is only valid during the call that tells of it.
typedef struct {
    int32_t index;
    /// As by net_device_flags: up, loopback, carrier.
    uint32_t flags;
    /// The hardware, as by if_arp.h.
    uint16_t hardware;
    /// The operational state of RFC 2863, as Linux numbers it: 0 is unknown, 6 is up.
    uint8_t operational_state;
    const char *name;
} netlink_link;

/// An address that packets may be sent from, of a scope wider than its link.
typedef struct {
    bool is_v6;
} netlink_address;

/// A route to everywhere; one for each of its hops.
typedef struct {
    int32_t link;
    bool is_v6;
    /// The lower, the better.
    uint32_t metric;
} netlink_route;

/// Who is told what there is, in the order of the messages.
typedef struct {
    void *context;
    void (*link)(void *context, const netlink_link *link);
    void (*address)(void *context, const netlink_address *address);
    void (*route)(void *context, const netlink_route *route);
} netlink_reader;

/// Opens a socket on which a change of links, addresses, routes and rules can be read; the caller closes it.
int32_t netlink_open(void);

/// Reads all that is waiting on such a socket, without looking at it, and never waits itself.
///
/// Returns 1 if there was something, also if there was more than the kernel could keep; 0 if there was nothing.
int32_t netlink_drain(int32_t socket);

/// Reads what there is now. Returns 0, or an error.
int32_t netlink_read(const netlink_reader *reader);

/// Asks the kernel which way a packet would take, without sending one. Returns the index of the link, or an error if
/// there is no way.
///
/// @param bytes 4 or 16 of them.
/// @param zone The index of the link that a link-local address belongs to; 0 for none.
int32_t netlink_link_towards(const uint8_t *bytes, bool is_v6, uint32_t zone);

#pragma clang assume_nonnull end

#endif
