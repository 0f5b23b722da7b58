#include "CLibcurl.h"
#include "OpenSSL.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <pthread.h>
#include <string.h>

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
    /// NULL before OpenSSL 3.2.
    const char *(*get0_group_name)(void *);
    long (*ctrl)(void *, int, long, void *);
    /// NULL before OpenSSL 3.0.
    const char *(*group_to_name)(void *, int);
} openssl;

static pthread_once_t openssl_once = PTHREAD_ONCE_INIT;

static void load_openssl(void) {
    enum { OPENSSL_VERSION = 0 };
    const char *library = libcurl_tls_library();
    const char *(*version)(int);
    const dynamic_function functions[] = {
        {"OpenSSL_version", &version},
        {"SSL_get_version", &openssl.get_version},
        {"SSL_get_current_cipher", &openssl.get_current_cipher},
        {"SSL_CIPHER_get_name", &openssl.cipher_get_name},
        {"SSL_get0_group_name", &openssl.get0_group_name},
        {"SSL_ctrl", &openssl.ctrl},
        {"SSL_group_to_name", &openssl.group_to_name},
        {NULL, NULL},
    };
    libcurl_find_openssl(functions);
    // The functions of another OpenSSL must not be called with the objects of this one. Relatives of OpenSSL, such as
    // BoringSSL, describe themselves in other ways, and share no file names with OpenSSL.
    if (library && !strncmp(library, "OpenSSL/", 8)
        && !(version && openssl_is_library_of_libcurl(library, version(OPENSSL_VERSION)))) {
        memset(&openssl, 0, sizeof openssl);
    }
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

bool libcurl_names_tls_groups(void) {
    const char *library = libcurl_tls_library();
    if (!library || strncmp(library, "OpenSSL/", 8)) return false;
    pthread_once(&openssl_once, load_openssl);
    return openssl.get0_group_name || (openssl.ctrl && openssl.group_to_name);
}

const char *libcurl_tls_group(CURL *easy) {
    enum { SSL_CTRL_GET_NEGOTIATED_GROUP = 134 };
    void *session = openssl_session(easy);
    if (!session) return NULL;
    pthread_once(&openssl_once, load_openssl);
    if (openssl.get0_group_name) return openssl.get0_group_name(session);
    if (!openssl.ctrl || !openssl.group_to_name) return NULL;
    const long group = openssl.ctrl(session, SSL_CTRL_GET_NEGOTIATED_GROUP, 0, NULL);
    return group > 0 ? openssl.group_to_name(session, (int)group) : NULL;
}

#endif
