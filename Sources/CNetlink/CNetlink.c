#define _GNU_SOURCE
#include "CNetlink.h"

#include <errno.h>

#if defined(__linux__)
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

// The kernel never writes a message that is longer than this, so no message is cut off.
enum { buffer_size = 32 << 10 };

// A request: the header of the message, the header of its kind, and room for an address and a link.
typedef struct {
    struct nlmsghdr header;
    union {
        struct ifinfomsg link;
        struct ifaddrmsg address;
        struct rtmsg route;
    } body;
    char attributes[64];
} message;

// The function that receives each message of the kernel's reply.
typedef void (*consumer)(const struct nlmsghdr *header, void *context);

static int open_socket(uint32_t groups, int flags) {
    int handle = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | flags, NETLINK_ROUTE);
    if (handle < 0) return -errno;
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
    if (bind(handle, (struct sockaddr *)&address, sizeof address) == 0) return handle;
    int error = errno;
    close(handle);
    return -error;
}

static uint32_t group(int number) { return 1u << (number - 1); }

int32_t netlink_open(void) {
    return open_socket(
        group(RTNLGRP_LINK) | group(RTNLGRP_IPV4_IFADDR) | group(RTNLGRP_IPV6_IFADDR) | group(RTNLGRP_IPV4_ROUTE) |
            group(RTNLGRP_IPV6_ROUTE) | group(RTNLGRP_IPV4_RULE) | group(RTNLGRP_IPV6_RULE),
        SOCK_NONBLOCK
    );
}

int32_t netlink_drain(int32_t handle) {
    char buffer[buffer_size];
    bool found = false;
    while (true) {
        ssize_t count = recv(handle, buffer, sizeof buffer, MSG_DONTWAIT);
        if (count > 0 || (count < 0 && errno == ENOBUFS)) {
            found = true;
        } else if (count == 0) {
            return found;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return found;
        } else if (errno != EINTR) {
            return -errno;
        }
    }
}

// Opens a socket for requests. It gets no notifications of changes, so replies are not mixed with them. The kernel
// replies immediately; the time limit is only a precaution.
static int open_for_questions(void) {
    int handle = open_socket(0, 0);
    struct timeval limit = {.tv_sec = 10};
    if (handle >= 0) setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return handle;
}

static int send_message(int handle, const message *request) {
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    ssize_t sent;
    do {
        sent = sendto(handle, request, request->header.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof kernel);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : 0;
}

// The result in the last message of a dump: 0, or the error with which the kernel stopped.
static int result_of_dump(const struct nlmsghdr *header) {
    int result = 0;
    if (header->nlmsg_len >= NLMSG_LENGTH(sizeof result)) memcpy(&result, NLMSG_DATA(header), sizeof result);
    return result < 0 ? result : 0;
}

// Reads the whole reply to one request. The reply to a dump ends with a separate message.
static int read_answer(int handle, const message *request, consumer consume, void *context) {
    _Alignas(struct nlmsghdr) char buffer[buffer_size];
    while (true) {
        struct sockaddr_nl sender = {0};
        struct iovec vector = {buffer, sizeof buffer};
        struct msghdr envelope = {.msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &vector, .msg_iovlen = 1};
        ssize_t count = recvmsg(handle, &envelope, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return -errno;
        if (count == 0) return -EIO;
        if (envelope.msg_flags & MSG_TRUNC) return -EMSGSIZE;
        // Any process may write to the socket. Messages that are not from the kernel are ignored.
        if (sender.nl_pid != 0) continue;
        // Signed, because the number becomes negative after a message whose length is not a multiple of four.
        int left = (int)count;
        for (struct nlmsghdr *header = (struct nlmsghdr *)buffer; NLMSG_OK(header, left); header = NLMSG_NEXT(header, left)) {
            if (header->nlmsg_seq != request->header.nlmsg_seq) continue;
            if (header->nlmsg_type == NLMSG_DONE) return result_of_dump(header);
            if (header->nlmsg_type == NLMSG_ERROR) {
                if (header->nlmsg_len < NLMSG_LENGTH(sizeof(struct nlmsgerr))) return -EIO;
                return ((struct nlmsgerr *)NLMSG_DATA(header))->error;
            }
            consume(header, context);
            if (!(request->header.nlmsg_flags & NLM_F_DUMP)) return 0;
        }
    }
}

// MARK: Links, addresses and routes

static int ask_for_all(int handle, uint16_t type, size_t body_size, consumer consume, const netlink_reader *reader) {
    message request = {
        .header = {
            .nlmsg_len = NLMSG_LENGTH(body_size),
            .nlmsg_type = type,
            .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
            .nlmsg_seq = type,
        },
    };
    int result = send_message(handle, &request);
    return result < 0 ? result : read_answer(handle, &request, consume, (void *)reader);
}

// The 32-bit value of an attribute, which need not be aligned; 0 if the attribute is shorter.
static uint32_t number_of(const struct rtattr *attribute) {
    uint32_t number = 0;
    if (RTA_PAYLOAD(attribute) >= sizeof number) memcpy(&number, RTA_DATA(attribute), sizeof number);
    return number;
}

static void consume_link(const struct nlmsghdr *header, void *context) {
    const netlink_reader *reader = context;
    if (header->nlmsg_type != RTM_NEWLINK || header->nlmsg_len < NLMSG_LENGTH(sizeof(struct ifinfomsg))) return;
    const struct ifinfomsg *info = NLMSG_DATA(header);
    netlink_link link = {.index = info->ifi_index, .flags = info->ifi_flags, .hardware = info->ifi_type, .name = ""};
    int left = (int)IFLA_PAYLOAD(header);
    for (const struct rtattr *attribute = IFLA_RTA(info); RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
        if (attribute->rta_type == IFLA_OPERSTATE && RTA_PAYLOAD(attribute) >= 1) {
            link.operational_state = *(const uint8_t *)RTA_DATA(attribute);
        } else if (attribute->rta_type == IFLA_IFNAME && memchr(RTA_DATA(attribute), 0, RTA_PAYLOAD(attribute))) {
            link.name = RTA_DATA(attribute);
        }
    }
    reader->link(reader->context, &link);
}

static void consume_address(const struct nlmsghdr *header, void *context) {
    const netlink_reader *reader = context;
    if (header->nlmsg_type != RTM_NEWADDR || header->nlmsg_len < NLMSG_LENGTH(sizeof(struct ifaddrmsg))) return;
    const struct ifaddrmsg *info = NLMSG_DATA(header);
    if (info->ifa_family != AF_INET && info->ifa_family != AF_INET6) return;
    if (info->ifa_scope >= RT_SCOPE_LINK) return;
    // An address is tentative until the kernel has checked that no other machine has it. Such an address is not used
    // yet, unless it is marked as optimistic.
    uint32_t flags = info->ifa_flags;
    int left = (int)IFA_PAYLOAD(header);
    for (const struct rtattr *attribute = IFA_RTA(info); RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
        if (attribute->rta_type == IFA_FLAGS) flags = number_of(attribute);
    }
    if (flags & IFA_F_DADFAILED) return;
    if ((flags & IFA_F_TENTATIVE) && !(flags & IFA_F_OPTIMISTIC)) return;
    netlink_address address = {.is_v6 = info->ifa_family == AF_INET6};
    reader->address(reader->context, &address);
}

static void consume_route(const struct nlmsghdr *header, void *context) {
    const netlink_reader *reader = context;
    if (header->nlmsg_type != RTM_NEWROUTE || header->nlmsg_len < NLMSG_LENGTH(sizeof(struct rtmsg))) return;
    const struct rtmsg *info = NLMSG_DATA(header);
    if (info->rtm_family != AF_INET && info->rtm_family != AF_INET6) return;
    if (info->rtm_dst_len != 0 || info->rtm_src_len != 0 || info->rtm_type != RTN_UNICAST) return;
    if (info->rtm_table == RT_TABLE_LOCAL || (info->rtm_flags & RTM_F_CLONED)) return;
    netlink_route route = {.is_v6 = info->rtm_family == AF_INET6};
    const struct rtattr *hops = NULL;
    int left = (int)RTM_PAYLOAD(header);
    for (const struct rtattr *attribute = RTM_RTA(info); RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
        if (attribute->rta_type == RTA_OIF) route.link = (int32_t)number_of(attribute);
        if (attribute->rta_type == RTA_PRIORITY) route.metric = number_of(attribute);
        if (attribute->rta_type == RTA_MULTIPATH) hops = attribute;
    }
    if (route.link != 0) reader->route(reader->context, &route);
    if (!hops) return;
    left = (int)RTA_PAYLOAD(hops);
    for (const struct rtnexthop *hop = RTA_DATA(hops); left >= (int)sizeof *hop && RTNH_OK(hop, left);) {
        route.link = hop->rtnh_ifindex;
        reader->route(reader->context, &route);
        left -= (int)RTNH_ALIGN(hop->rtnh_len);
        hop = RTNH_NEXT(hop);
    }
}

int32_t netlink_read(const netlink_reader *reader) {
    int handle = open_for_questions();
    if (handle < 0) return handle;
    int result = ask_for_all(handle, RTM_GETLINK, sizeof(struct ifinfomsg), consume_link, reader);
    if (result == 0) result = ask_for_all(handle, RTM_GETADDR, sizeof(struct ifaddrmsg), consume_address, reader);
    if (result == 0) result = ask_for_all(handle, RTM_GETROUTE, sizeof(struct rtmsg), consume_route, reader);
    close(handle);
    return result;
}

// MARK: The route to an address

static void add_attribute(message *request, uint16_t type, const void *value, size_t size) {
    struct rtattr *attribute = (struct rtattr *)((char *)request + NLMSG_ALIGN(request->header.nlmsg_len));
    attribute->rta_type = type;
    attribute->rta_len = (unsigned short)RTA_LENGTH(size);
    memcpy(RTA_DATA(attribute), value, size);
    request->header.nlmsg_len = NLMSG_ALIGN(request->header.nlmsg_len) + RTA_ALIGN(attribute->rta_len);
}

static void consume_way(const struct nlmsghdr *header, void *context) {
    int32_t *link = context;
    if (header->nlmsg_type != RTM_NEWROUTE || header->nlmsg_len < NLMSG_LENGTH(sizeof(struct rtmsg))) return;
    const struct rtmsg *info = NLMSG_DATA(header);
    // Routes of other types may be found, but they do not lead to the address.
    if (info->rtm_type != RTN_UNICAST && info->rtm_type != RTN_LOCAL) return;
    int left = (int)RTM_PAYLOAD(header);
    for (const struct rtattr *attribute = RTM_RTA(info); RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
        if (attribute->rta_type == RTA_OIF) *link = (int32_t)number_of(attribute);
    }
}

int32_t netlink_link_towards(const uint8_t *bytes, bool is_v6, uint32_t zone) {
    size_t size = is_v6 ? 16 : 4;
    message request = {
        .header = {
            .nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)),
            .nlmsg_type = RTM_GETROUTE,
            .nlmsg_flags = NLM_F_REQUEST,
            .nlmsg_seq = 1,
        },
        .body.route = {.rtm_family = is_v6 ? AF_INET6 : AF_INET, .rtm_dst_len = (unsigned char)(size * 8)},
    };
    add_attribute(&request, RTA_DST, bytes, size);
    if (zone) add_attribute(&request, RTA_OIF, &zone, sizeof zone);
    int handle = open_for_questions();
    if (handle < 0) return handle;
    int32_t link = 0;
    int result = send_message(handle, &request);
    if (result == 0) result = read_answer(handle, &request, consume_way, &link);
    close(handle);
    if (result < 0) return result;
    return link > 0 ? link : -ENETUNREACH;
}

#else

int32_t netlink_open(void) { return -ENOSYS; }
int32_t netlink_drain(int32_t handle) { return -ENOSYS; }
int32_t netlink_read(const netlink_reader *reader) { return -ENOSYS; }
int32_t netlink_link_towards(const uint8_t *bytes, bool is_v6, uint32_t zone) { return -ENOSYS; }

#endif
