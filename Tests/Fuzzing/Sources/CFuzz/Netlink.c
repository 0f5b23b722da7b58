// The functions of CNetlink with sockets that come from memory. All headers are included first, so that the macros
// below change only the calls in CNetlink.c.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "CFuzz.h"

static const uint8_t *rest;
static size_t rest_count;

static int fake_socket(void) { return 1000; }

static int succeed(void) { return 0; }

// Delivers the next datagram: two bytes with its length, and its content. The content is in an allocation of its own
// first, so that the address sanitizer knows its end. At the end of the input there is an error.
static ssize_t fake_recvmsg(int handle, struct msghdr *envelope, int flags) {
    (void)handle;
    (void)flags;
    if (rest_count < 2) {
        errno = EAGAIN;
        return -1;
    }
    size_t count = rest[0] | (size_t)rest[1] << 8;
    rest += 2;
    rest_count -= 2;
    if (count > rest_count) count = rest_count;
    if (count > envelope->msg_iov->iov_len) count = envelope->msg_iov->iov_len;
    memcpy(envelope->msg_iov->iov_base, rest, count);
    rest += count;
    rest_count -= count;
    envelope->msg_flags = 0;
    return (ssize_t)count;
}

#define socket(family, type, protocol) fake_socket()
#define bind(...) succeed()
#define setsockopt(...) succeed()
#define sendto(...) succeed()
#define recv(...) (-1)
#define recvmsg fake_recvmsg
#define close(handle) ((void)succeed())
#define netlink_open fuzzed_netlink_open
#define netlink_drain fuzzed_netlink_drain
#define netlink_read fuzzed_netlink_read
#define netlink_link_towards fuzzed_netlink_link_towards

#include "../../Larkspur/CNetlink/CNetlink.c"

static int found;
static size_t name_length;

static void take_link(void *context, const netlink_link *link) {
    (void)context;
    name_length += strlen(link->name);
    found++;
}

static void take_address(void *context, const netlink_address *address) {
    (void)context;
    (void)address;
    found++;
}

static void take_route(void *context, const netlink_route *route) {
    (void)context;
    (void)route;
    found++;
}

int fuzz_netlink(const uint8_t *bytes, size_t count) {
    found = 0;
    rest = bytes;
    rest_count = count;
    const netlink_reader reader = {NULL, take_link, take_address, take_route};
    netlink_read(&reader);
    rest = bytes;
    rest_count = count;
    uint8_t address[16] = {0};
    netlink_link_towards(address, true, 1);
    return found;
}
