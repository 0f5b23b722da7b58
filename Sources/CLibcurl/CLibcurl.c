#include "CLibcurl.h"
#include "CDynamicLibrary.h"
#include "OpenSSL.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { oldest_version = 0x074400 }; // 7.68.0. Older versions were not tested.

/// The beginning of curl_version_info_data. New versions add fields only at its end.
typedef struct {
    int age;
    const char *version;
    unsigned int version_num;
    const char *host;
    int features;
    const char *ssl_version;
} version_info;

/// CURLMsg: its result is in a union with a pointer.
typedef struct {
    int msg;
    CURL *easy;
    union {
        void *whatever;
        int result;
    } data;
} multi_message;

enum { CURLMSG_DONE = 1, CURL_GLOBAL_DEFAULT = 3 };

static struct {
    int (*global_init)(long flags);
    const version_info *(*version_info)(int age);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *);
    void (*easy_reset)(CURL *);
    int (*easy_pause)(CURL *, int);
    int (*easy_send)(CURL *, const void *, size_t, size_t *);
    int (*easy_recv)(CURL *, void *, size_t, size_t *);
    int (*easy_setopt)(CURL *, int, ...);
    int (*easy_getinfo)(CURL *, int, ...);
    CURLU *(*url)(void);
    int (*url_set)(CURLU *, int, const char *, unsigned int);
    void (*url_cleanup)(CURLU *);
    curl_slist *(*slist_append)(curl_slist *, const char *);
    void (*slist_free_all)(curl_slist *);
    CURLM *(*multi_init)(void);
    int (*multi_cleanup)(CURLM *);
    int (*multi_add_handle)(CURLM *, CURL *);
    int (*multi_remove_handle)(CURLM *, CURL *);
    int (*multi_setopt)(CURLM *, int, ...);
    int (*multi_socket_action)(CURLM *, int, int, int *);
    int (*multi_timeout)(CURLM *, long *);
    multi_message *(*multi_info_read)(CURLM *, int *);
    CURLSH *(*share_init)(void);
    int (*share_setopt)(CURLSH *, int, ...);
    int (*share_cleanup)(CURLSH *);
    /// NULL before 8.3.0.
    int (*global_trace)(const char *);
} curl;

static char unavailability[160];
static bool is_available;
static const version_info *version;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    static const char *const names[] = {"libcurl.so.4", "libcurl.so", "libcurl-gnutls.so.4", NULL};
    dynamic_library library;
    if (!dynamic_library_open(&library, "curl_global_init", names)) {
        strcpy(unavailability, "libcurl is not installed (libcurl.so.4 cannot be loaded).");
        return;
    }
    const dynamic_function functions[] = {
        {"curl_version_info", &curl.version_info},
        {"curl_global_init", &curl.global_init},
        {"curl_easy_init", &curl.easy_init},
        {"curl_easy_cleanup", &curl.easy_cleanup},
        {"curl_easy_reset", &curl.easy_reset},
        {"curl_easy_pause", &curl.easy_pause},
        {"curl_easy_send", &curl.easy_send},
        {"curl_easy_recv", &curl.easy_recv},
        {"curl_easy_setopt", &curl.easy_setopt},
        {"curl_easy_getinfo", &curl.easy_getinfo},
        {"curl_url", &curl.url},
        {"curl_url_set", &curl.url_set},
        {"curl_url_cleanup", &curl.url_cleanup},
        {"curl_slist_append", &curl.slist_append},
        {"curl_slist_free_all", &curl.slist_free_all},
        {"curl_multi_init", &curl.multi_init},
        {"curl_multi_cleanup", &curl.multi_cleanup},
        {"curl_multi_add_handle", &curl.multi_add_handle},
        {"curl_multi_remove_handle", &curl.multi_remove_handle},
        {"curl_multi_setopt", &curl.multi_setopt},
        {"curl_multi_socket_action", &curl.multi_socket_action},
        {"curl_multi_timeout", &curl.multi_timeout},
        {"curl_multi_info_read", &curl.multi_info_read},
        {"curl_share_init", &curl.share_init},
        {"curl_share_setopt", &curl.share_setopt},
        {"curl_share_cleanup", &curl.share_cleanup},
        {NULL, NULL},
    };
    const dynamic_function newer_functions[] = {{"curl_global_trace", &curl.global_trace}, {NULL, NULL}};
    const char *missing = dynamic_library_find(library, functions);
    dynamic_library_find(library, newer_functions);

    if (curl.version_info) version = curl.version_info(0);
    if (version && version->version_num < oldest_version) {
        snprintf(unavailability, sizeof unavailability, "libcurl %s is too old; 7.68 or later is needed.", version->version);
    } else if (missing) {
        snprintf(unavailability, sizeof unavailability, "The libcurl found has no function %s.", missing);
    } else if (curl.global_init(CURL_GLOBAL_DEFAULT) != 0) {
        snprintf(unavailability, sizeof unavailability, "libcurl %s could not be initialized.", version->version);
    } else {
        is_available = true;
    }
}

const char *libcurl_unavailability(void) {
    pthread_once(&once, load);
    return is_available ? NULL : unavailability;
}

const char *libcurl_version(void) {
    pthread_once(&once, load);
    return version ? version->version : NULL;
}

unsigned int libcurl_version_number(void) {
    pthread_once(&once, load);
    return version ? version->version_num : 0;
}

int libcurl_features(void) {
    pthread_once(&once, load);
    return version ? version->features : 0;
}

const char *libcurl_tls_library(void) {
    pthread_once(&once, load);
    return version ? version->ssl_version : NULL;
}

static bool traces_streams;
static pthread_once_t trace_once = PTHREAD_ONCE_INIT;

// Names that libcurl does not know are not an error.
static void trace_streams(void) {
    traces_streams = !libcurl_unavailability() && curl.global_trace && curl.global_trace("http/2,http/3") == 0;
}

bool libcurl_trace_streams(void) {
    pthread_once(&trace_once, trace_streams);
    return traces_streams;
}

CURL *libcurl_easy_init(void) { return libcurl_unavailability() ? NULL : curl.easy_init(); }
void libcurl_easy_cleanup(CURL *easy) { curl.easy_cleanup(easy); }
void libcurl_easy_reset(CURL *easy) { curl.easy_reset(easy); }
int libcurl_easy_pause(CURL *easy, int bitmask) { return curl.easy_pause(easy, bitmask); }

int libcurl_easy_send(CURL *easy, const void *bytes, size_t count, size_t *sent) {
    *sent = 0;
    return curl.easy_send(easy, bytes, count, sent);
}

int libcurl_easy_receive(CURL *easy, void *buffer, size_t size, size_t *received) {
    *received = 0;
    return curl.easy_recv(easy, buffer, size, received);
}

int libcurl_easy_socket(CURL *easy) {
    int socket = -1; // curl_socket_t
    return curl.easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket) == 0 ? socket : -1;
}

int libcurl_easy_setopt_long(CURL *easy, int option, long value) { return curl.easy_setopt(easy, option, value); }
int libcurl_easy_setopt_int64(CURL *easy, int option, int64_t value) { return curl.easy_setopt(easy, option, value); }
int libcurl_easy_setopt_string(CURL *easy, int option, const char *value) { return curl.easy_setopt(easy, option, value); }
int libcurl_easy_setopt_pointer(CURL *easy, int option, const void *value) { return curl.easy_setopt(easy, option, value); }

static CURLU *parse_url(const char *text) {
    enum { CURLUPART_URL = 0, CURLU_NON_SUPPORT_SCHEME = 1 << 3, CURLU_PATH_AS_IS = 1 << 4 };
    CURLU *url = curl.url();
    if (!url || curl.url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS) == 0) return url;
    curl.url_cleanup(url);
    return NULL;
}

int libcurl_easy_set_url(CURL *easy, CURLU **parsed, const char *text) {
    CURLU *last = *parsed;
    // A URL with an IPv6 address is not parsed here, because some versions lose the zone of the address when they copy
    // the parsed form.
    *parsed = strchr(text, '[') ? NULL : parse_url(text);
    int result = curl.easy_setopt(easy, CURLOPT_CURLU, *parsed);
    // The text is set too, because libcurl would otherwise write one from the parts. It is set last, because newer
    // versions discard the text when a parsed form is set.
    if (result == 0) result = curl.easy_setopt(easy, CURLOPT_URL, text);
    if (last) curl.url_cleanup(last);
    return result;
}

void libcurl_url_free(CURLU *url) { curl.url_cleanup(url); }

int libcurl_easy_setopt_data_callback(CURL *easy, int option, libcurl_data_callback value) {
    return curl.easy_setopt(easy, option, value);
}

int libcurl_easy_setopt_tls_callback(CURL *easy, int option, libcurl_tls_callback value) {
    return curl.easy_setopt(easy, option, value);
}

int libcurl_easy_setopt_blob(CURL *easy, int option, const void *bytes, size_t count) {
    // struct curl_blob. libcurl does not write to the bytes.
    struct {
        void *data;
        size_t len;
        unsigned int flags;
    } blob = {(void *)bytes, count, 1 /* CURL_BLOB_COPY */};
    return curl.easy_setopt(easy, option, &blob);
}

int libcurl_easy_setopt_seek_callback(CURL *easy, int option, libcurl_seek_callback value) {
    return curl.easy_setopt(easy, option, value);
}

int libcurl_easy_setopt_debug_callback(CURL *easy, int option, libcurl_debug_callback value) {
    return curl.easy_setopt(easy, option, value);
}

int libcurl_easy_setopt_open_callback(CURL *easy, int option, libcurl_open_callback value) {
    return curl.easy_setopt(easy, option, value);
}

int libcurl_easy_setopt_close_callback(CURL *easy, int option, libcurl_close_callback value) {
    return curl.easy_setopt(easy, option, value);
}

int libcurl_easy_setopt_socket_options_callback(CURL *easy, int option, libcurl_socket_options_callback value) {
    return curl.easy_setopt(easy, option, value);
}

int libcurl_easy_setopt_sending_callback(CURL *easy, int option, libcurl_sending_callback value) {
    return curl.easy_setopt(easy, option, value);
}

int libcurl_easy_setopt_trailer_callback(CURL *easy, int option, libcurl_trailer_callback value) {
    return curl.easy_setopt(easy, option, value);
}

long libcurl_easy_getinfo_long(CURL *easy, int info) {
    long value = 0;
    return curl.easy_getinfo(easy, info, &value) == 0 ? value : 0;
}

int64_t libcurl_easy_getinfo_int64(CURL *easy, int info) {
    int64_t value = 0;
    return curl.easy_getinfo(easy, info, &value) == 0 ? value : 0;
}

const char *libcurl_easy_getinfo_string(CURL *easy, int info) {
    const char *value = NULL;
    return curl.easy_getinfo(easy, info, &value) == 0 ? value : NULL;
}

void *libcurl_easy_getinfo_pointer(CURL *easy, int info) {
    void *value = NULL;
    return curl.easy_getinfo(easy, info, &value) == 0 ? value : NULL;
}

curl_slist *libcurl_slist_append(curl_slist *list, const char *text) { return curl.slist_append(list, text); }
void libcurl_slist_free_all(curl_slist *list) { curl.slist_free_all(list); }

CURLM *libcurl_multi_init(void) { return libcurl_unavailability() ? NULL : curl.multi_init(); }
void libcurl_multi_cleanup(CURLM *multi) { curl.multi_cleanup(multi); }
int libcurl_multi_add_handle(CURLM *multi, CURL *easy) { return curl.multi_add_handle(multi, easy); }
int libcurl_multi_remove_handle(CURLM *multi, CURL *easy) { return curl.multi_remove_handle(multi, easy); }
int libcurl_multi_setopt_long(CURLM *multi, int option, long value) { return curl.multi_setopt(multi, option, value); }
int libcurl_multi_setopt_pointer(CURLM *multi, int option, const void *value) {
    return curl.multi_setopt(multi, option, value);
}

int libcurl_multi_setopt_socket_callback(CURLM *multi, libcurl_socket_callback value) {
    return curl.multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}

int libcurl_multi_setopt_timer_callback(CURLM *multi, libcurl_timer_callback value) {
    return curl.multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}

int libcurl_multi_socket_action(CURLM *multi, int socket, int conditions, int *running) {
    return curl.multi_socket_action(multi, socket, conditions, running);
}

long libcurl_multi_timeout(CURLM *multi) {
    long milliseconds = -1;
    return curl.multi_timeout(multi, &milliseconds) == 0 ? milliseconds : -1;
}

bool libcurl_multi_info_read(CURLM *multi, libcurl_message *message) {
    int remaining = 0;
    const multi_message *next;
    while ((next = curl.multi_info_read(multi, &remaining))) {
        if (next->msg != CURLMSG_DONE) continue;
        message->easy = next->easy;
        message->result = next->data.result;
        return true;
    }
    return false;
}

CURLSH *libcurl_share_init(void) { return libcurl_unavailability() ? NULL : curl.share_init(); }
void libcurl_share_cleanup(CURLSH *share) { curl.share_cleanup(share); }
int libcurl_share_add(CURLSH *share, int data) { return curl.share_setopt(share, 1 /* CURLSHOPT_SHARE */, data); }

size_t libcurl_allocation_size(void *allocation) { return malloc_usable_size(allocation); }

// MARK: TLS

/// curl_tlssessioninfo
typedef struct {
    int backend;
    void *internals;
} tls_session;

enum { CURLSSLBACKEND_OPENSSL = 1 };

bool libcurl_has_tls(CURL *easy, void **openssl_session) {
    const tls_session *session = libcurl_easy_getinfo_pointer(easy, CURLINFO_TLS_SSL_PTR);
    void *internals = session ? session->internals : NULL;
    *openssl_session = internals && session->backend == CURLSSLBACKEND_OPENSSL ? internals : NULL;
    return internals != NULL;
}

/// Returns the SSL object of a transfer's connection; NULL if OpenSSL has not created it.
static void *openssl_session(CURL *easy) {
    void *session;
    libcurl_has_tls(easy, &session);
    return session;
}

static struct {
    const char *(*get_version)(const void *);
    const void *(*get_current_cipher)(const void *);
    const char *(*cipher_get_name)(const void *);
} openssl;

static pthread_once_t openssl_once = PTHREAD_ONCE_INIT;

static void load_openssl(void) {
    const dynamic_function functions[] = {
        {"SSL_get_version", &openssl.get_version},
        {"SSL_get_current_cipher", &openssl.get_current_cipher},
        {"SSL_CIPHER_get_name", &openssl.cipher_get_name},
        {NULL, NULL},
    };
    libcurl_find_openssl(functions);
}

const char *libcurl_tls_version(CURL *easy) {
    void *session = openssl_session(easy);
    if (!session) return NULL;
    pthread_once(&openssl_once, load_openssl);
    return openssl.get_version ? openssl.get_version(session) : NULL;
}

const char *libcurl_tls_cipher(CURL *easy) {
    void *session = openssl_session(easy);
    if (!session) return NULL;
    pthread_once(&openssl_once, load_openssl);
    if (!openssl.get_current_cipher || !openssl.cipher_get_name) return NULL;
    const void *cipher = openssl.get_current_cipher(session);
    return cipher ? openssl.cipher_get_name(cipher) : NULL;
}

#endif
