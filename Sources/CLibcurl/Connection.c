#include "CLibcurl.h"
#include "OpenSSL.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

typedef void BIO;
typedef void SSL;
typedef void SSL_CTX;

enum { SSL_ERROR_WANT_READ = 2, SSL_CB_HANDSHAKE_DONE = 0x20, SSL_CB_READ_ALERT = 0x4004, CLOSE_NOTIFY = 0 };
enum { SSL_OP_IGNORE_UNEXPECTED_EOF = 0x80, CRYPTO_EX_INDEX_SSL = 0, CRYPTO_EX_INDEX_SSL_CTX = 1 };
enum { BIO_NOCLOSE = 0, BIO_CB_READ = 2, BIO_CB_CTRL = 6, BIO_CB_RETURN = 0x80, BIO_CTRL_EOF = 2, BIO_CTRL_PENDING = 10 };

typedef long bio_callback(BIO *, int, const char *, size_t, int, long, int, size_t *);

static struct {
    void (*ERR_clear_error)(void);
    unsigned long (*OpenSSL_version_num)(void);
    int (*get_ex_new_index)(int, long, void *, void *, void *, void *);
    BIO *(*BIO_new)(const void *);
    BIO *(*BIO_new_socket)(int, int);
    const void *(*BIO_s_mem)(void);
    int (*BIO_up_ref)(BIO *);
    int (*BIO_free)(BIO *);
    long (*BIO_ctrl)(BIO *, int, long, void *);
    void (*BIO_set_callback_ex)(BIO *, bio_callback *);
    void (*BIO_set_callback_arg)(BIO *, char *);
    char *(*BIO_get_callback_arg)(const BIO *);
    BIO *(*SSL_get_rbio)(const SSL *);
    BIO *(*SSL_get_wbio)(const SSL *);
    void (*SSL_set_bio)(SSL *, BIO *, BIO *);
    int (*SSL_has_pending)(const SSL *);
    int (*SSL_peek)(SSL *, void *, int);
    int (*SSL_get_error)(const SSL *, int);
    void (*SSL_get0_alpn_selected)(const SSL *, const unsigned char **, unsigned int *);
    int (*SSL_set_ex_data)(SSL *, int, void *);
    void *(*SSL_get_ex_data)(const SSL *, int);
    SSL_CTX *(*SSL_get_SSL_CTX)(const SSL *);
    uint64_t (*SSL_CTX_set_options)(SSL_CTX *, uint64_t);
    int (*SSL_CTX_set_ex_data)(SSL_CTX *, int, void *);
    void *(*SSL_CTX_get_ex_data)(const SSL_CTX *, int);
    void (*SSL_CTX_set_info_callback)(SSL_CTX *, void (*)(const SSL *, int, int));
} openssl;

static bool is_available;
static int watch_index = -1;
static int name_index = -1;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    // These functions must not be called with the objects of another OpenSSL. So they must belong to the OpenSSL of
    // libcurl.
    if (libcurl_trust_unavailability()) return;
    const dynamic_function functions[] = {
        {"ERR_clear_error", &openssl.ERR_clear_error},
        {"OpenSSL_version_num", &openssl.OpenSSL_version_num},
        {"CRYPTO_get_ex_new_index", &openssl.get_ex_new_index},
        {"BIO_new", &openssl.BIO_new},
        {"BIO_new_socket", &openssl.BIO_new_socket},
        {"BIO_s_mem", &openssl.BIO_s_mem},
        {"BIO_up_ref", &openssl.BIO_up_ref},
        {"BIO_free", &openssl.BIO_free},
        {"BIO_ctrl", &openssl.BIO_ctrl},
        {"BIO_set_callback_ex", &openssl.BIO_set_callback_ex},
        {"BIO_set_callback_arg", &openssl.BIO_set_callback_arg},
        {"BIO_get_callback_arg", &openssl.BIO_get_callback_arg},
        {"SSL_get_rbio", &openssl.SSL_get_rbio},
        {"SSL_get_wbio", &openssl.SSL_get_wbio},
        {"SSL_set_bio", &openssl.SSL_set_bio},
        {"SSL_has_pending", &openssl.SSL_has_pending},
        {"SSL_peek", &openssl.SSL_peek},
        {"SSL_get_error", &openssl.SSL_get_error},
        {"SSL_get0_alpn_selected", &openssl.SSL_get0_alpn_selected},
        {"SSL_set_ex_data", &openssl.SSL_set_ex_data},
        {"SSL_get_ex_data", &openssl.SSL_get_ex_data},
        {"SSL_get_SSL_CTX", &openssl.SSL_get_SSL_CTX},
        {"SSL_CTX_set_options", &openssl.SSL_CTX_set_options},
        {"SSL_CTX_set_ex_data", &openssl.SSL_CTX_set_ex_data},
        {"SSL_CTX_get_ex_data", &openssl.SSL_CTX_get_ex_data},
        {"SSL_CTX_set_info_callback", &openssl.SSL_CTX_set_info_callback},
        {NULL, NULL},
    };
    _Static_assert(sizeof functions / sizeof *functions == sizeof openssl / sizeof(void *) + 1, "One each");
    if (libcurl_find_openssl(functions)) return;
    watch_index = openssl.get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, NULL, NULL, NULL, NULL);
    name_index = openssl.get_ex_new_index(CRYPTO_EX_INDEX_SSL, 0, NULL, NULL, NULL, NULL);
    is_available = watch_index >= 0 && name_index >= 0;
}

// MARK: Bytes that do not belong to a response

/// Whether a socket has bytes to read, has reached its end, or has an error.
static bool has_input(const int *sockets, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char byte;
        ssize_t result;
        do result = recv(sockets[i], &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        while (result < 0 && errno == EINTR);
        if (result >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) return true;
    }
    return false;
}

/// Makes OpenSSL process input that is not content, such as session tickets. Returns true if there was no other input.
///
/// libcurl's BIO works only while libcurl itself reads or writes. So it is replaced during this call. Input comes from
/// a BIO for the socket. Output goes to a BIO in memory, because only libcurl may write to the socket. If OpenSSL has
/// written a response to the memory, the result is false, and the connection is not used.
static bool is_quiet(SSL *session, int socket) {
    BIO *bio = openssl.SSL_get_rbio(session);
    if (!bio || bio != openssl.SSL_get_wbio(session)) return false;
    BIO *input = openssl.BIO_new_socket(socket, BIO_NOCLOSE);
    BIO *output = openssl.BIO_new(openssl.BIO_s_mem());
    bool result = false;
    if (input && output && openssl.BIO_up_ref(bio)) {
        // The session releases its references to libcurl's BIO, and owns the references to the new BIOs.
        openssl.SSL_set_bio(session, input, output);
        openssl.ERR_clear_error();
        char byte;
        const int count = openssl.SSL_peek(session, &byte, 1);
        result = count <= 0 && openssl.SSL_get_error(session, count) == SSL_ERROR_WANT_READ
            && openssl.BIO_ctrl(output, BIO_CTRL_PENDING, 0, NULL) == 0;
        openssl.ERR_clear_error();
        openssl.SSL_set_bio(session, bio, bio);
    } else {
        if (input) openssl.BIO_free(input);
        if (output) openssl.BIO_free(output);
    }
    return result;
}

/// Whether the handshake has selected HTTP/1.x. A server that does not support the selection uses HTTP/1.1.
static bool has_selected_http1(const SSL *session) {
    const unsigned char *protocol = NULL;
    unsigned int length = 0;
    openssl.SSL_get0_alpn_selected(session, &protocol, &length);
    return length == 0 || (length >= 7 && memcmp(protocol, "http/1.", 7) == 0);
}

bool libcurl_has_selected_http1(CURL *easy) {
    SSL *session;
    libcurl_has_tls(easy, &session);
    pthread_once(&once, load);
    return session && is_available && has_selected_http1(session);
}

enum libcurl_connection_state libcurl_connection_state(CURL *easy, const int *sockets, size_t count, bool is_direct) {
    SSL *session;
    if (!libcurl_has_tls(easy, &session)) {
        return has_input(sockets, count) ? LIBCURL_CONNECTION_HAS_INPUT : LIBCURL_CONNECTION_QUIET;
    }
    pthread_once(&once, load);
    if (!session || !is_available) return LIBCURL_CONNECTION_SHARED;
    if (!has_selected_http1(session)) return LIBCURL_CONNECTION_SHARED;
    if (openssl.SSL_has_pending(session)) return LIBCURL_CONNECTION_HAS_INPUT;
    if (!has_input(sockets, count)) return LIBCURL_CONNECTION_QUIET;
    const bool is_known = count == 1 && is_direct;
    return is_known && is_quiet(session, sockets[0]) ? LIBCURL_CONNECTION_QUIET : LIBCURL_CONNECTION_HAS_INPUT;
}

// MARK: The end of a connection

struct libcurl_tls_watch {
    /// The names of the watched connections that have not received a close_notify.
    ///
    /// The addresses of the sessions cannot be used as names. Before libcurl reports the end of a transfer, the session
    /// of another connection may already have the same address.
    uintptr_t *names;
    size_t count;
    size_t capacity;
    uintptr_t last_name;
};

/// Removes a name. Returns whether it was in the list.
static bool remove_name(libcurl_tls_watch *watch, uintptr_t name) {
    for (size_t i = 0; i < watch->count; i++) {
        if (watch->names[i] != name) continue;
        watch->names[i] = watch->names[--watch->count];
        return true;
    }
    return false;
}

/// Called before and after each operation on a BIO. The return value replaces the result of the operation.
///
/// Distinguishes the end of a connection from an error. libcurl before 8.14.1 does not report that its BIO has reached
/// the end. Without a correction, OpenSSL 3.2 and later would treat the end as an error.
static long tell_end(BIO *bio, int operation, const char *bytes, size_t size, int command, long argument, int result,
                     size_t *processed) {
    (void)bytes, (void)size, (void)argument, (void)processed;
    static char has_ended;
    switch (operation) {
    case BIO_CB_READ | BIO_CB_RETURN:
        openssl.BIO_set_callback_arg(bio, result == 0 ? &has_ended : NULL);
        break;
    case BIO_CB_CTRL | BIO_CB_RETURN:
        if (command == BIO_CTRL_EOF && openssl.BIO_get_callback_arg(bio)) return 1;
        break;
    }
    return result;
}

/// Called at each step of a handshake, and for each alert.
static void note(const SSL *session, int kind, int value) {
    if (kind == SSL_CB_HANDSHAKE_DONE) {
        BIO *bio = openssl.SSL_get_rbio(session);
        if (bio) openssl.BIO_set_callback_ex(bio, tell_end);
        return;
    }
    if (kind != SSL_CB_READ_ALERT || (value & 0xFF) != CLOSE_NOTIFY) return;
    libcurl_tls_watch *watch = openssl.SSL_CTX_get_ex_data(openssl.SSL_get_SSL_CTX(session), watch_index);
    const uintptr_t name = (uintptr_t)openssl.SSL_get_ex_data(session, name_index);
    if (watch && name) remove_name(watch, name);
}

libcurl_tls_watch *libcurl_tls_watch_new(void) {
    pthread_once(&once, load);
    return is_available ? calloc(1, sizeof(libcurl_tls_watch)) : NULL;
}

void libcurl_tls_watch_free(libcurl_tls_watch *watch) {
    free(watch->names);
    free(watch);
}

bool libcurl_tls_watch_attach(libcurl_tls_watch *watch, void *tls_context) {
    if (openssl.SSL_CTX_set_ex_data(tls_context, watch_index, watch) != 1) return false;
    openssl.SSL_CTX_set_info_callback(tls_context, note);
    // If there is no close_notify, libcurl 8.14 and later with OpenSSL 3 would fail. The option prevents this, because
    // the engine itself handles a missing close_notify.
    if (openssl.OpenSSL_version_num() >= 0x30000000L) openssl.SSL_CTX_set_options(tls_context, SSL_OP_IGNORE_UNEXPECTED_EOF);
    return true;
}

uintptr_t libcurl_tls_watch_begin(libcurl_tls_watch *watch, CURL *easy) {
    SSL *session;
    libcurl_has_tls(easy, &session);
    if (!session) return 0;
    if (watch->count == watch->capacity) {
        const size_t capacity = watch->capacity ? 2 * watch->capacity : 16;
        uintptr_t *names = realloc(watch->names, capacity * sizeof *names);
        if (!names) return 0;
        watch->names = names;
        watch->capacity = capacity;
    }
    const uintptr_t name = watch->last_name + 1;
    if (openssl.SSL_set_ex_data(session, name_index, (void *)name) != 1) return 0;
    watch->last_name = name;
    watch->names[watch->count++] = name;
    return name;
}

bool libcurl_tls_watch_end(libcurl_tls_watch *watch, uintptr_t name) { return !remove_name(watch, name); }

#endif
