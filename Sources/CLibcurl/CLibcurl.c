#define _GNU_SOURCE
#include "CLibcurl.h"
#include "CDynamicLibrary.h"
#include "OpenSSL.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { oldest_version = 0x074400 }; // 7.68.0. Older versions were not tested.

/// The beginning of curl_version_info_data. New versions add fields only at its end. `age` determines which fields
/// exist.
typedef struct {
    int age;
    const char *version;
    unsigned int version_num;
    const char *host;
    int features;
    const char *ssl_version;
    long ssl_version_num;
    const char *libz_version;
    const char *const *protocols;
    const char *ares;
    int ares_num;
    const char *libidn;
    int iconv_ver_num;
    const char *libssh_version;
    unsigned int brotli_ver_num;
    const char *brotli_version;
    unsigned int nghttp2_ver_num;
    const char *nghttp2_version;
    const char *quic_version;
    /// These fields exist if `age` is at least 6 (since 7.70.0).
    const char *cainfo;
    const char *capath;
} version_info;

/// CURLMsg. Its result is in a union with a pointer.
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
    const char *(*version)(void);
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

/// The environment variable that specifies the file of a libcurl.
static const char variable[] = "LARKSPUR_LIBCURL";

static dynamic_library library;
static const version_info *version;
/// Whether the program or the environment has specified a file.
static bool is_named;
static char unavailability[1024];
static bool is_available;
/// Whether the values above are final.
static atomic_bool is_settled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/// The function that is called when the process ends, see libcurl_call_before_cleanup; NULL for none.
static void (*_Atomic exit_handler)(void);

static void handle_exit(void) {
    void (*handler)(void) = exit_handler;
    if (handler) handler();
}

/// Finds the functions of a library and initializes it.
///
/// @param name The subject of the sentence about a missing function.
/// @param is_chosen Whether the library was chosen by its file.
/// @return Whether the library can be used. If false, unavailability is set to the reason.
static bool use(dynamic_library candidate, const char *name, bool is_chosen) {
    const dynamic_function functions[] = {
        {"curl_version_info", &curl.version_info},
        {"curl_version", &curl.version},
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
    const char *missing = dynamic_library_find(candidate, functions);
    dynamic_library_find(candidate, newer_functions);

    version = curl.version_info ? curl.version_info(0) : NULL;
    const dynamic_library *own = is_chosen || dynamic_library_is_linked(candidate) ? &candidate : NULL;
    // FoundationNetworking's libcurl may use another OpenSSL than the libcurl that was chosen.
    libcurl_prevent_cleanup();
    if (own) openssl_prevent_cleanup(own);
    if (version && version->version_num < oldest_version) {
        snprintf(unavailability, sizeof unavailability, "libcurl %s is too old; 7.68 or later is needed.", version->version);
    } else if (missing) {
        snprintf(unavailability, sizeof unavailability, "%s has no function %s.", name, missing);
    } else if (curl.global_init(CURL_GLOBAL_DEFAULT) != 0) {
        snprintf(unavailability, sizeof unavailability, "libcurl %s could not be initialized.", version->version);
    } else {
        openssl_call_before_cleanup(own, version->ssl_version, handle_exit);
        library = candidate;
        is_available = true;
    }
    return is_available;
}

/// Loads the libcurl in a file and uses it.
///
/// @return Whether the libcurl can be used. If false, unavailability is set to the reason, which contains the file.
static bool use_file(const char *path) {
    dynamic_library candidate;
    char reason[600];
    if (!dynamic_library_open_file(&candidate, path, reason, sizeof reason)) {
        snprintf(unavailability, sizeof unavailability, "The libcurl in %s cannot be loaded: %s.", path, reason);
        return false;
    }
    if (!use(candidate, "The libcurl in it", true)) {
        snprintf(reason, sizeof reason, "%s", unavailability);
        snprintf(unavailability, sizeof unavailability, "The file %s cannot be used. %s", path, reason);
        return false;
    }
    is_named = true;
    // zlib, brotli, zstd and libpsl are also searched in this libcurl.
    dynamic_library_prefer(library);
    return true;
}

/// Finds libcurl for a program that has not specified one. The first choice is the libcurl that the environment
/// specifies, the second is the libcurl of the process, and the last is the system's libcurl.
static void use_default(void) {
    // A program with more rights than its user ignores the variable.
    const char *path = secure_getenv(variable);
    if (path && *path) {
        is_named = true;
        if (strchr(path, '/')) {
            use_file(path);
        } else {
            snprintf(unavailability, sizeof unavailability, "%s is “%s”, and not the path of a file.", variable, path);
        }
        return;
    }
    static const char *const names[] = {"libcurl.so.4", "libcurl.so", "libcurl-gnutls.so.4", NULL};
    dynamic_library candidate;
    if (dynamic_library_open(&candidate, "curl_global_init", names)) {
        use(candidate, "The libcurl found", false);
    } else if (dynamic_library_is_static_program()) {
        strcpy(unavailability, "This program is linked statically, without the product LarkspurStatic.");
    } else {
        strcpy(unavailability, "libcurl is not installed (libcurl.so.4 cannot be loaded).");
    }
}

/// Finds libcurl, unless it was already searched.
static void settle(void) {
    if (atomic_load_explicit(&is_settled, memory_order_acquire)) return;
    pthread_mutex_lock(&lock);
    if (!is_settled) use_default();
    is_settled = true;
    pthread_mutex_unlock(&lock);
}

static bool is_same_file(const char *path, const char *other) {
    struct stat a, b;
    return other && !stat(path, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static const char *library_path(void) {
    return is_available && !dynamic_library_is_linked(library) ? dynamic_library_path((void *)curl.version_info) : NULL;
}

/// Writes the reason why another libcurl can no longer be used.
static void write_refusal(char *reason, size_t size) {
    if (!is_available) {
        snprintf(reason, size, "The engine has already looked for a libcurl. %s", unavailability);
    } else if (dynamic_library_is_linked(library)) {
        snprintf(reason, size, "libcurl %s is linked into this program, and a process uses only one.", version->version);
    } else {
        const char *path = library_path();
        snprintf(
            reason, size, "The process already uses libcurl %s (%s), and a process uses only one.", version->version,
            path ? path : "unknown file"
        );
    }
}

enum libcurl_choice libcurl_choose(const char *path, char *reason, size_t size) {
    enum libcurl_choice result = LIBCURL_CHOSEN;
    pthread_mutex_lock(&lock);
    dynamic_library own;
    const char *name = secure_getenv(variable);
    const bool is_linked_in = dynamic_library_is_static_program()
        || (dynamic_library_open(&own, "curl_global_init", (const char *const[]){NULL}) && dynamic_library_is_linked(own));
    if (!is_settled && ((name && *name) || is_linked_in)) {
        use_default();
        is_settled = true;
    }
    if (!is_settled) {
        if (use_file(path)) {
            is_settled = true;
        } else {
            // The process may still choose another file, or use the default libcurl.
            snprintf(reason, size, "%s", unavailability);
            memset(&curl, 0, sizeof curl);
            version = NULL;
            result = LIBCURL_UNUSABLE;
        }
    } else if (!is_same_file(path, library_path())) {
        write_refusal(reason, size);
        result = LIBCURL_OTHER_IN_USE;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

void libcurl_call_before_cleanup(void (*handler)(void)) { exit_handler = handler; }

bool libcurl_is_named(void) {
    settle();
    return is_named;
}

const char *libcurl_path(void) {
    settle();
    return library_path();
}

bool libcurl_own_library(dynamic_library *own) {
    settle();
    *own = library;
    return is_available && (is_named || dynamic_library_is_linked(library));
}

const char *libcurl_unavailability(void) {
    settle();
    return is_available ? NULL : unavailability;
}

const char *libcurl_description(void) {
    settle();
    return curl.version ? curl.version() : NULL;
}

const char *libcurl_authorities_file(void) {
    settle();
    return version && version->age >= 6 ? version->cainfo : NULL;
}

const char *libcurl_authorities_folder(void) {
    settle();
    return version && version->age >= 6 ? version->capath : NULL;
}

const char *libcurl_version(void) {
    settle();
    return version ? version->version : NULL;
}

unsigned int libcurl_version_number(void) {
    settle();
    return version ? version->version_num : 0;
}

int libcurl_features(void) {
    settle();
    return version ? version->features : 0;
}

const char *libcurl_tls_library(void) {
    settle();
    return version ? version->ssl_version : NULL;
}

static bool traces_streams;
static pthread_once_t trace_once = PTHREAD_ONCE_INIT;

// If libcurl does not know a name, this is not an error.
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
    // When some versions copy the parsed form of a URL, they lose the zone of an IPv6 address. So a URL with an IPv6
    // address is not parsed here.
    *parsed = strchr(text, '[') ? NULL : parse_url(text);
    int result = curl.easy_setopt(easy, CURLOPT_CURLU, *parsed);
    // The text is set too, because otherwise libcurl would create it from the parts. It is set after the parsed form,
    // because newer versions discard the text when a parsed form is set.
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

#endif
