/// Access to rtnetlink, by which Linux reports links, addresses and routes. Its messages are written and read with C
/// macros, which Swift cannot call.
///
/// The access is written by hand, because glibc has no function that reports such changes, and libnl is on few systems.
///
/// See rtnetlink(7). On other systems than Linux every function fails with ENOSYS. An error is returned as the negative
/// number of its errno.

#ifndef CNETLINK_H
#define CNETLINK_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A network interface. Its name is valid only during the call that reports the interface.
typedef struct {
    int32_t index;
    /// The flags of the interface, the values of net_device_flags: up, loopback, carrier.
    uint32_t flags;
    /// The type of the hardware, one of the values of if_arp.h.
    uint16_t hardware;
    /// The operational state of RFC 2863, by Linux's numbers: 0 is unknown, 6 is up.
    uint8_t operational_state;
    const char *name;
} netlink_link;

/// An address of this machine from which packets may be sent. Its scope is wider than its link.
typedef struct {
    bool is_v6;
} netlink_address;

/// A default route. A route with several next hops is reported once for each of them.
typedef struct {
    int32_t link;
    bool is_v6;
    /// The metric. The route with the lowest metric is preferred.
    uint32_t metric;
} netlink_route;

/// The functions that receive the links, addresses and routes, in the order of the kernel's messages.
typedef struct {
    void *context;
    void (*link)(void *context, const netlink_link *link);
    void (*address)(void *context, const netlink_address *address);
    void (*route)(void *context, const netlink_route *route);
} netlink_reader;

/// Opens a socket on which changes of links, addresses, routes and rules can be read. The caller has to close it.
int32_t netlink_open(void);

/// Reads and discards all messages that have arrived on a socket of netlink_open. Never waits.
///
/// Returns 1 if there were messages, even if the kernel had to drop some of them; 0 if there were none.
int32_t netlink_drain(int32_t socket);

/// Reads the current links, addresses and routes. Returns 0, or an error.
int32_t netlink_read(const netlink_reader *reader);

/// Asks the kernel for the route of a packet, without sending one. Returns the index of the link, or an error if there
/// is no route.
///
/// @param bytes The address: 4 bytes, or 16 bytes if is_v6 is true.
/// @param zone The index of the link to which a link-local address belongs; 0 for no link.
int32_t netlink_link_towards(const uint8_t *bytes, bool is_v6, uint32_t zone);

#pragma clang assume_nonnull end

#endif
