// The path between two network namespaces: a TUN device in each of them, and a process that forwards packets from one
// to the other, and loses, delays, reorders and repeats them as it is told.
//
//     path CLIENT_NAMESPACE SERVER_NAMESPACE CONTROL_PORT
//
// A UDP socket on 127.0.0.1:CONTROL_PORT of the client's namespace takes settings, such as "seed=7 loss=5 delay=100".
// A setting that is not named is off. The response is the counts since the settings before. The numbers are random, but
// follow from the seed.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAXIMUM_PACKET = 2048, MAXIMUM_QUEUE = 4096 };

typedef struct {
    uint64_t due, order;
    size_t length;
    int side;
    unsigned char bytes[MAXIMUM_PACKET];
} packet;

// Percentages are in hundredths of a percent, times in milliseconds, the rate in bits a second.
typedef struct {
    uint64_t seed, loss, delay, jitter, reorder, duplicate, rate, cut, resets, buffer;
} settings;

typedef struct {
    uint64_t forwarded, lost, reordered, duplicated, resets, opened, cut;
} counts;

static settings current;
static counts seen;
static packet *queue[MAXIMUM_QUEUE];
static size_t queued;
static uint64_t next_order, random_state, free_at[2], waiting_bytes[2];

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// SplitMix64.
static uint64_t next_random(void) {
    uint64_t value = random_state += 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

static bool happens(uint64_t hundredths) { return next_random() % 10000 < hundredths; }

static bool is_before(const packet *first, const packet *second) {
    return first->due != second->due ? first->due < second->due : first->order < second->order;
}

static void push(packet *added) {
    size_t place = queued++;
    while (place > 0 && is_before(added, queue[(place - 1) / 2])) {
        queue[place] = queue[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    queue[place] = added;
}

static packet *pop(void) {
    packet *first = queue[0], *last = queue[--queued];
    size_t place = 0;
    for (size_t child; (child = 2 * place + 1) < queued; place = child) {
        if (child + 1 < queued && is_before(queue[child + 1], queue[child])) child++;
        if (!is_before(queue[child], last)) break;
        queue[place] = queue[child];
    }
    if (queued > 0) queue[place] = last;
    return first;
}

static unsigned char tcp_flags(const unsigned char *bytes, size_t length) {
    if (length < 40) return 0;
    if (bytes[0] >> 4 == 6) return length >= 60 && bytes[6] == 6 ? bytes[53] : 0;
    size_t header = (size_t)(bytes[0] & 15) * 4;
    return bytes[9] == 6 && length >= header + 14 ? bytes[header + 13] : 0;
}

static void enqueue(int side, const unsigned char *bytes, size_t length, uint64_t due) {
    packet *added = queued < MAXIMUM_QUEUE ? malloc(sizeof *added) : NULL;
    if (added == NULL) {
        seen.lost++;
        return;
    }
    *added = (packet){.due = due, .order = next_order++, .length = length, .side = side};
    memcpy(added->bytes, bytes, length);
    waiting_bytes[side] += length;
    push(added);
}

// A packet that came from one side.
static void take(int side, const unsigned char *bytes, size_t length) {
    unsigned char flags = tcp_flags(bytes, length);
    // SYN without ACK, from the client.
    bool opens = side == 0 && (flags & 0x12) == 2;
    if (opens) seen.opened++;
    if (current.cut) {
        seen.cut++;
        return;
    }
    if (current.resets && side == 1 && (flags & 4)) {
        seen.resets++;
        return;
    }
    if (happens(current.loss)) {
        seen.lost++;
        return;
    }
    uint64_t time = now(), due = time;
    if (current.rate > 0) {
        if (waiting_bytes[side] + length > current.buffer) {
            seen.lost++;
            return;
        }
        if (free_at[side] < time) free_at[side] = time;
        free_at[side] += length * 8 * 1000000000u / current.rate;
        due = free_at[side];
    }
    due += current.delay * 1000000u;
    if (current.jitter > 0) due += next_random() % (current.jitter * 1000000u);
    if (happens(current.reorder)) {
        // Long enough that others overtake it.
        due += 2000000u + next_random() % 8000000u;
        seen.reordered++;
    }
    enqueue(side, bytes, length, due);
    if (happens(current.duplicate)) {
        enqueue(side, bytes, length, due + next_random() % 3000000u);
        seen.duplicated++;
    }
}

static void command(int control) {
    char text[512], response[512];
    struct sockaddr_in client;
    socklen_t size = sizeof client;
    ssize_t length = recvfrom(control, text, sizeof text - 1, 0, (struct sockaddr *)&client, &size);
    if (length < 0) return;
    text[length] = 0;
    // An empty text only asks.
    if (length > 0) {
        settings set = {.seed = 1, .buffer = 64 << 10};
        static const struct {
            const char *name;
            size_t place;
        } names[] = {
            {"seed", offsetof(settings, seed)},       {"loss", offsetof(settings, loss)},
            {"delay", offsetof(settings, delay)},     {"jitter", offsetof(settings, jitter)},
            {"reorder", offsetof(settings, reorder)}, {"duplicate", offsetof(settings, duplicate)},
            {"rate", offsetof(settings, rate)},       {"cut", offsetof(settings, cut)},
            {"resets", offsetof(settings, resets)},   {"buffer", offsetof(settings, buffer)},
        };
        char *rest = NULL;
        for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
            char *value = strchr(word, '=');
            bool known = false;
            if (value != NULL) *value++ = 0;
            for (size_t index = 0; value != NULL && index < sizeof names / sizeof *names; index++) {
                if (strcmp(word, names[index].name) != 0) continue;
                bool is_percentage = names[index].place == offsetof(settings, loss)
                    || names[index].place == offsetof(settings, reorder)
                    || names[index].place == offsetof(settings, duplicate);
                *(uint64_t *)(void *)((char *)&set + names[index].place)
                    = is_percentage ? (uint64_t)(strtod(value, NULL) * 100) : strtoull(value, NULL, 10);
                known = true;
            }
            if (!known) {
                sendto(control, "unknown", 7, 0, (struct sockaddr *)&client, size);
                return;
            }
        }
        current = set;
        random_state = set.seed;
    }
    int count = snprintf(response, sizeof response,
        "{\"forwarded\": %" PRIu64 ", \"lost\": %" PRIu64 ", \"reordered\": %" PRIu64 ", \"duplicated\": %" PRIu64
        ", \"resets\": %" PRIu64 ", \"opened\": %" PRIu64 ", \"cut\": %" PRIu64 "}",
        seen.forwarded, seen.lost, seen.reordered, seen.duplicated, seen.resets, seen.opened, seen.cut);
    if (length > 0) seen = (counts){0};
    sendto(control, response, (size_t)count, 0, (struct sockaddr *)&client, size);
}

static void enter(const char *name) {
    char file[256];
    snprintf(file, sizeof file, "/var/run/netns/%s", name);
    int descriptor = open(file, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || setns(descriptor, CLONE_NEWNET) < 0) fail(file);
    close(descriptor);
}

static int open_device(const char *name) {
    int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    if (device < 0 || ioctl(device, TUNSETIFF, &request) < 0) fail("TUNSETIFF");
    return device;
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: path CLIENT_NAMESPACE SERVER_NAMESPACE CONTROL_PORT\n");
        return 64;
    }
    signal(SIGPIPE, SIG_IGN);
    current = (settings){.seed = 1, .buffer = 64 << 10};
    random_state = 1;
    enter(arguments[2]);
    int devices[2];
    devices[1] = open_device("far");
    enter(arguments[1]);
    devices[0] = open_device("near");
    int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)atoi(arguments[3])),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    if (bind(control, (struct sockaddr *)&address, sizeof address) < 0) fail("bind");
    puts("ready");
    fflush(stdout);
    struct pollfd descriptors[] = {
        {.fd = devices[0], .events = POLLIN}, {.fd = devices[1], .events = POLLIN}, {.fd = control, .events = POLLIN}};
    while (true) {
        uint64_t time = now();
        while (queued > 0 && queue[0]->due <= time) {
            packet *first = pop();
            waiting_bytes[first->side] -= first->length;
            // Packets on their way are lost with the link.
            if (current.cut) {
                seen.cut++;
            } else if (write(devices[1 - first->side], first->bytes, first->length) >= 0) {
                seen.forwarded++;
            }
            free(first);
        }
        struct timespec limit, *timeout = NULL;
        if (queued > 0) {
            uint64_t rest = queue[0]->due - time;
            limit = (struct timespec){.tv_sec = (time_t)(rest / 1000000000u), .tv_nsec = (long)(rest % 1000000000u)};
            timeout = &limit;
        }
        if (ppoll(descriptors, 3, timeout, NULL) < 0) {
            if (errno == EINTR) continue;
            fail("ppoll");
        }
        if (descriptors[2].revents & POLLIN) command(control);
        for (int side = 0; side < 2; side++) {
            unsigned char bytes[MAXIMUM_PACKET];
            // A device that is down gives an error until it is up.
            for (int number = 0; number < 64; number++) {
                ssize_t length = read(devices[side], bytes, sizeof bytes);
                if (length <= 0) break;
                take(side, bytes, (size_t)length);
            }
        }
    }
}
