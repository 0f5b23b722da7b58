#include "CLoopbackTLS.h"
#include "CDynamicLibrary.h"

#include <stdio.h>

#if defined(__linux__) || defined(__ANDROID__)
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// MARK: OpenSSL

typedef void BIO;
typedef void EVP_MD;
typedef void EVP_PKEY;
typedef void EVP_PKEY_CTX;
typedef void SSL;
typedef void SSL_CTX;
typedef void X509;
typedef void X509_EXTENSION;
typedef void X509_NAME;

enum { EVP_PKEY_EC = 408, NID_subject_alt_name = 85, NID_basic_constraints = 87, NID_ext_key_usage = 126 };
enum { MBSTRING_UTF8 = 0x1000 };
enum { SSL_ERROR_WANT_READ = 2, SSL_ERROR_WANT_WRITE = 3, SSL_ERROR_ZERO_RETURN = 6 };
enum { SSL_TLSEXT_ERR_OK = 0, SSL_TLSEXT_ERR_ALERT_FATAL = 2 };

typedef int (*choose_protocol)(SSL *, const unsigned char **, unsigned char *, const unsigned char *, unsigned int, void *);

static struct {
    void (*ERR_clear_error)(void);
    unsigned long (*ERR_get_error)(void);
    void (*ERR_error_string_n)(unsigned long, char *, size_t);
    void (*free)(void *, const char *, int);
    BIO *(*BIO_new)(const void *);
    const void *(*BIO_s_mem)(void);
    BIO *(*BIO_new_mem_buf)(const void *, int);
    int (*BIO_free)(BIO *);
    int (*BIO_read)(BIO *, void *, int);
    int (*BIO_write)(BIO *, const void *, int);
    EVP_PKEY_CTX *(*EVP_PKEY_CTX_new_id)(int, void *);
    void (*EVP_PKEY_CTX_free)(EVP_PKEY_CTX *);
    int (*EVP_PKEY_CTX_ctrl_str)(EVP_PKEY_CTX *, const char *, const char *);
    int (*EVP_PKEY_keygen_init)(EVP_PKEY_CTX *);
    int (*EVP_PKEY_keygen)(EVP_PKEY_CTX *, EVP_PKEY **);
    void (*EVP_PKEY_free)(EVP_PKEY *);
    const EVP_MD *(*EVP_sha256)(void);
    int (*RAND_bytes)(unsigned char *, int);
    X509 *(*X509_new)(void);
    void (*X509_free)(X509 *);
    int (*X509_set_version)(X509 *, long);
    void *(*X509_get_serialNumber)(X509 *);
    int (*ASN1_INTEGER_set)(void *, long);
    void *(*X509_getm_notBefore)(const X509 *);
    void *(*X509_getm_notAfter)(const X509 *);
    void *(*X509_gmtime_adj)(void *, long);
    X509_NAME *(*X509_get_subject_name)(const X509 *);
    int (*X509_NAME_add_entry_by_txt)(X509_NAME *, const char *, int, const unsigned char *, int, int, int);
    int (*X509_set_issuer_name)(X509 *, const X509_NAME *);
    int (*X509_set_pubkey)(X509 *, EVP_PKEY *);
    X509_EXTENSION *(*X509V3_EXT_conf_nid)(void *, void *, int, const char *);
    int (*X509_add_ext)(X509 *, X509_EXTENSION *, int);
    void (*X509_EXTENSION_free)(X509_EXTENSION *);
    int (*X509_sign)(X509 *, EVP_PKEY *, const EVP_MD *);
    int (*i2d_X509)(const X509 *, unsigned char **);
    X509 *(*PEM_read_bio_X509)(BIO *, X509 **, void *, void *);
    EVP_PKEY *(*PEM_read_bio_PrivateKey)(BIO *, EVP_PKEY **, void *, void *);
    const void *(*TLS_server_method)(void);
    SSL_CTX *(*SSL_CTX_new)(const void *);
    void (*SSL_CTX_free)(SSL_CTX *);
    int (*SSL_CTX_use_certificate)(SSL_CTX *, X509 *);
    int (*SSL_CTX_use_PrivateKey)(SSL_CTX *, EVP_PKEY *);
    int (*SSL_CTX_check_private_key)(const SSL_CTX *);
    void (*SSL_CTX_set_alpn_select_cb)(SSL_CTX *, choose_protocol, void *);
    SSL *(*SSL_new)(SSL_CTX *);
    void (*SSL_free)(SSL *);
    void (*SSL_set_bio)(SSL *, BIO *, BIO *);
    void (*SSL_set_accept_state)(SSL *);
    int (*SSL_is_init_finished)(const SSL *);
    int (*SSL_read)(SSL *, void *, int);
    int (*SSL_write)(SSL *, const void *, int);
    int (*SSL_shutdown)(SSL *);
    int (*SSL_get_error)(const SSL *, int);
    const char *(*SSL_get_version)(const SSL *);
} openssl;

static char unavailability[200];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    static const char *const tls_names[] = {"libssl.so.3", "libssl.so.4", "libssl.so.1.1", "libssl.so", NULL};
    static const char *const crypto_names[] = {"libcrypto.so.3", "libcrypto.so.4", "libcrypto.so.1.1", "libcrypto.so", NULL};
    const dynamic_function crypto_functions[] = {
        {"ERR_clear_error", &openssl.ERR_clear_error},
        {"ERR_get_error", &openssl.ERR_get_error},
        {"ERR_error_string_n", &openssl.ERR_error_string_n},
        {"CRYPTO_free", &openssl.free},
        {"BIO_new", &openssl.BIO_new},
        {"BIO_s_mem", &openssl.BIO_s_mem},
        {"BIO_new_mem_buf", &openssl.BIO_new_mem_buf},
        {"BIO_free", &openssl.BIO_free},
        {"BIO_read", &openssl.BIO_read},
        {"BIO_write", &openssl.BIO_write},
        {"EVP_PKEY_CTX_new_id", &openssl.EVP_PKEY_CTX_new_id},
        {"EVP_PKEY_CTX_free", &openssl.EVP_PKEY_CTX_free},
        {"EVP_PKEY_CTX_ctrl_str", &openssl.EVP_PKEY_CTX_ctrl_str},
        {"EVP_PKEY_keygen_init", &openssl.EVP_PKEY_keygen_init},
        {"EVP_PKEY_keygen", &openssl.EVP_PKEY_keygen},
        {"EVP_PKEY_free", &openssl.EVP_PKEY_free},
        {"EVP_sha256", &openssl.EVP_sha256},
        {"RAND_bytes", &openssl.RAND_bytes},
        {"X509_new", &openssl.X509_new},
        {"X509_free", &openssl.X509_free},
        {"X509_set_version", &openssl.X509_set_version},
        {"X509_get_serialNumber", &openssl.X509_get_serialNumber},
        {"ASN1_INTEGER_set", &openssl.ASN1_INTEGER_set},
        {"X509_getm_notBefore", &openssl.X509_getm_notBefore},
        {"X509_getm_notAfter", &openssl.X509_getm_notAfter},
        {"X509_gmtime_adj", &openssl.X509_gmtime_adj},
        {"X509_get_subject_name", &openssl.X509_get_subject_name},
        {"X509_NAME_add_entry_by_txt", &openssl.X509_NAME_add_entry_by_txt},
        {"X509_set_issuer_name", &openssl.X509_set_issuer_name},
        {"X509_set_pubkey", &openssl.X509_set_pubkey},
        {"X509V3_EXT_conf_nid", &openssl.X509V3_EXT_conf_nid},
        {"X509_add_ext", &openssl.X509_add_ext},
        {"X509_EXTENSION_free", &openssl.X509_EXTENSION_free},
        {"X509_sign", &openssl.X509_sign},
        {"i2d_X509", &openssl.i2d_X509},
        {"PEM_read_bio_X509", &openssl.PEM_read_bio_X509},
        {"PEM_read_bio_PrivateKey", &openssl.PEM_read_bio_PrivateKey},
        {NULL, NULL},
    };
    const dynamic_function tls_functions[] = {
        {"TLS_server_method", &openssl.TLS_server_method},
        {"SSL_CTX_new", &openssl.SSL_CTX_new},
        {"SSL_CTX_free", &openssl.SSL_CTX_free},
        {"SSL_CTX_use_certificate", &openssl.SSL_CTX_use_certificate},
        {"SSL_CTX_use_PrivateKey", &openssl.SSL_CTX_use_PrivateKey},
        {"SSL_CTX_check_private_key", &openssl.SSL_CTX_check_private_key},
        {"SSL_CTX_set_alpn_select_cb", &openssl.SSL_CTX_set_alpn_select_cb},
        {"SSL_new", &openssl.SSL_new},
        {"SSL_free", &openssl.SSL_free},
        {"SSL_set_bio", &openssl.SSL_set_bio},
        {"SSL_set_accept_state", &openssl.SSL_set_accept_state},
        {"SSL_is_init_finished", &openssl.SSL_is_init_finished},
        {"SSL_read", &openssl.SSL_read},
        {"SSL_write", &openssl.SSL_write},
        {"SSL_shutdown", &openssl.SSL_shutdown},
        {"SSL_get_error", &openssl.SSL_get_error},
        {"SSL_get_version", &openssl.SSL_get_version},
        {NULL, NULL},
    };
    // libssl is opened first. It loads the libcrypto of its own version, which is then found before any other.
    dynamic_library tls, crypto;
    if (!dynamic_library_open(&tls, tls_functions[0].name, tls_names)) {
        snprintf(unavailability, sizeof unavailability, "OpenSSL's libssl (libssl.so.3, libssl.so.4 or libssl.so.1.1) is not installed");
        return;
    }
    if (!dynamic_library_open(&crypto, crypto_functions[0].name, crypto_names)) {
        snprintf(unavailability, sizeof unavailability, "OpenSSL's libcrypto is not installed");
        return;
    }
    const char *missing = dynamic_library_find(tls, tls_functions);
    if (!missing) missing = dynamic_library_find(tls, crypto_functions);
    if (missing) missing = dynamic_library_find(crypto, crypto_functions);
    if (missing) snprintf(unavailability, sizeof unavailability, "the OpenSSL that was found has no function %s", missing);
    // Prevents OpenSSL from freeing, at the end of the process, data that the server's threads still use. OpenSSL
    // applies only the options of its first caller.
    enum { OPENSSL_INIT_NO_ATEXIT = 0x00080000 };
    int (*init_crypto)(uint64_t, const void *);
    const dynamic_function functions[] = {{"OPENSSL_init_crypto", &init_crypto}, {NULL, NULL}};
    if (!dynamic_library_find(tls, functions) || !dynamic_library_find(crypto, functions)) {
        init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    }
}

const char *loopback_tls_unavailability(void) {
    pthread_once(&once, load);
    return unavailability[0] ? unavailability : NULL;
}

/// Writes the first OpenSSL error of this thread; if there is none, writes the text `otherwise`.
static void explain(char *message, size_t size, const char *otherwise) {
    const unsigned long error = openssl.ERR_get_error();
    if (error) {
        openssl.ERR_error_string_n(error, message, size);
    } else {
        snprintf(message, size, "%s", otherwise);
    }
    openssl.ERR_clear_error();
}

// MARK: Identities

struct loopback_tls_identity {
    SSL_CTX *context;
    unsigned char *der;
    size_t der_count;
};

static const unsigned char http11[] = "\x08http/1.1";

/// Chooses HTTP/1.1. If a client offers only other protocols, it gets the alert no_application_protocol (RFC 7301).
static int choose(SSL *session, const unsigned char **chosen, unsigned char *length, const unsigned char *offers, unsigned int count, void *context) {
    for (unsigned int i = 0; i < count; i += offers[i] + 1u) {
        if (i + offers[i] < count && offers[i] == http11[0] && memcmp(offers + i, http11, sizeof http11 - 1) == 0) {
            *chosen = offers + i + 1;
            *length = offers[i];
            return SSL_TLSEXT_ERR_OK;
        }
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

static loopback_tls_identity *make_identity(X509 *certificate, EVP_PKEY *key) {
    loopback_tls_identity *identity = calloc(1, sizeof *identity);
    if (!identity) return NULL;
    const int count = openssl.i2d_X509(certificate, &identity->der);
    identity->der_count = count > 0 ? (size_t)count : 0;
    identity->context = openssl.SSL_CTX_new(openssl.TLS_server_method());
    if (count > 0 && identity->context && openssl.SSL_CTX_use_certificate(identity->context, certificate) == 1
        && openssl.SSL_CTX_use_PrivateKey(identity->context, key) == 1 && openssl.SSL_CTX_check_private_key(identity->context) == 1) {
        openssl.SSL_CTX_set_alpn_select_cb(identity->context, choose, NULL);
        return identity;
    }
    loopback_tls_identity_free(identity);
    return NULL;
}

static EVP_PKEY *make_key(void) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = openssl.EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL);
    if (context && openssl.EVP_PKEY_keygen_init(context) == 1
        && openssl.EVP_PKEY_CTX_ctrl_str(context, "ec_paramgen_curve", "P-256") == 1
        && openssl.EVP_PKEY_CTX_ctrl_str(context, "ec_param_enc", "named_curve") == 1) {
        if (openssl.EVP_PKEY_keygen(context, &key) != 1) key = NULL;
    }
    if (context) openssl.EVP_PKEY_CTX_free(context);
    return key;
}

static bool add_extension(X509 *certificate, int kind, const char *value) {
    X509_EXTENSION *extension = openssl.X509V3_EXT_conf_nid(NULL, NULL, kind, value);
    const bool is_added = extension && openssl.X509_add_ext(certificate, extension, -1) == 1;
    if (extension) openssl.X509_EXTENSION_free(extension);
    return is_added;
}

static bool fill(X509 *certificate, EVP_PKEY *key, const char *names, long valid_from, long valid_until) {
    static const unsigned char name[] = "Loopback server of a test";
    unsigned char random[4];
    if (openssl.RAND_bytes(random, sizeof random) != 1) return false;
    // The serial number is random, because a client may refuse two different certificates with the same issuer and
    // number.
    const long serial = 1 + ((long)(random[0] & 0x7F) << 24 | (long)random[1] << 16 | (long)random[2] << 8 | random[3]);
    X509_NAME *subject = openssl.X509_get_subject_name(certificate);
    return openssl.X509_set_version(certificate, 2) == 1
        && openssl.ASN1_INTEGER_set(openssl.X509_get_serialNumber(certificate), serial) == 1
        && openssl.X509_gmtime_adj(openssl.X509_getm_notBefore(certificate), valid_from)
        && openssl.X509_gmtime_adj(openssl.X509_getm_notAfter(certificate), valid_until)
        && openssl.X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, name, sizeof name - 1, -1, 0) == 1
        && openssl.X509_set_issuer_name(certificate, subject) == 1 && openssl.X509_set_pubkey(certificate, key) == 1
        && add_extension(certificate, NID_subject_alt_name, names)
        && add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE")
        && add_extension(certificate, NID_ext_key_usage, "serverAuth")
        && openssl.X509_sign(certificate, key, openssl.EVP_sha256()) > 0;
}

loopback_tls_identity *loopback_tls_identity_make(
    const char *names, long valid_from, long valid_until, char *message, size_t size
) {
    openssl.ERR_clear_error();
    EVP_PKEY *key = make_key();
    X509 *certificate = openssl.X509_new();
    loopback_tls_identity *identity = NULL;
    if (key && certificate && fill(certificate, key, names, valid_from, valid_until)) identity = make_identity(certificate, key);
    if (!identity) explain(message, size, "OpenSSL has made no certificate");
    if (certificate) openssl.X509_free(certificate);
    if (key) openssl.EVP_PKEY_free(key);
    openssl.ERR_clear_error();
    return identity;
}

loopback_tls_identity *loopback_tls_identity_read(
    const void *certificate, size_t certificate_count, const void *key, size_t key_count, char *message, size_t size
) {
    openssl.ERR_clear_error();
    loopback_tls_identity *identity = NULL;
    X509 *parsed_certificate = NULL;
    EVP_PKEY *parsed_key = NULL;
    if (certificate_count <= INT_MAX && key_count <= INT_MAX) {
        BIO *first = openssl.BIO_new_mem_buf(certificate, (int)certificate_count);
        BIO *second = openssl.BIO_new_mem_buf(key, (int)key_count);
        if (first) parsed_certificate = openssl.PEM_read_bio_X509(first, NULL, NULL, (void *)"");
        if (second && parsed_certificate) parsed_key = openssl.PEM_read_bio_PrivateKey(second, NULL, NULL, (void *)"");
        if (first) openssl.BIO_free(first);
        if (second) openssl.BIO_free(second);
    }
    if (parsed_certificate && parsed_key) identity = make_identity(parsed_certificate, parsed_key);
    if (!identity) explain(message, size, parsed_certificate ? "the key cannot be used" : "the certificate cannot be read");
    if (parsed_certificate) openssl.X509_free(parsed_certificate);
    if (parsed_key) openssl.EVP_PKEY_free(parsed_key);
    openssl.ERR_clear_error();
    return identity;
}

size_t loopback_tls_identity_certificate(const loopback_tls_identity *identity, const unsigned char **der) {
    *der = identity->der;
    return identity->der_count;
}

void loopback_tls_identity_free(loopback_tls_identity *identity) {
    if (identity->context) openssl.SSL_CTX_free(identity->context);
    if (identity->der) openssl.free(identity->der, __FILE__, __LINE__);
    free(identity);
}

// MARK: Connections

struct loopback_tls_connection {
    SSL *session;
    BIO *input;
    BIO *output;
    char failure[200];
};

loopback_tls_connection *loopback_tls_connection_make(loopback_tls_identity *identity) {
    loopback_tls_connection *connection = calloc(1, sizeof *connection);
    if (!connection) return NULL;
    connection->session = openssl.SSL_new(identity->context);
    connection->input = openssl.BIO_new(openssl.BIO_s_mem());
    connection->output = openssl.BIO_new(openssl.BIO_s_mem());
    if (!connection->session || !connection->input || !connection->output) {
        if (connection->session) openssl.SSL_free(connection->session);
        if (connection->input) openssl.BIO_free(connection->input);
        if (connection->output) openssl.BIO_free(connection->output);
        free(connection);
        return NULL;
    }
    // From here on the session owns both BIOs.
    openssl.SSL_set_bio(connection->session, connection->input, connection->output);
    openssl.SSL_set_accept_state(connection->session);
    return connection;
}

void loopback_tls_connection_free(loopback_tls_connection *connection) {
    openssl.SSL_free(connection->session);
    free(connection);
}

bool loopback_tls_feed(loopback_tls_connection *connection, const void *bytes, size_t count) {
    return count <= INT_MAX && openssl.BIO_write(connection->input, bytes, (int)count) == (int)count;
}

size_t loopback_tls_drain(loopback_tls_connection *connection, void *buffer, size_t size) {
    const int count = openssl.BIO_read(connection->output, buffer, size > INT_MAX ? INT_MAX : (int)size);
    return count > 0 ? (size_t)count : 0;
}

long loopback_tls_read(loopback_tls_connection *connection, void *buffer, size_t size) {
    openssl.ERR_clear_error();
    const int count = openssl.SSL_read(connection->session, buffer, size > INT_MAX ? INT_MAX : (int)size);
    if (count > 0) return count;
    switch (openssl.SSL_get_error(connection->session, count)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return LOOPBACK_TLS_NEEDS_INPUT;
    case SSL_ERROR_ZERO_RETURN: return LOOPBACK_TLS_END;
    default:
        explain(connection->failure, sizeof connection->failure, "the client does not speak TLS");
        return LOOPBACK_TLS_FAILURE;
    }
}

bool loopback_tls_write(loopback_tls_connection *connection, const void *bytes, size_t count) {
    const unsigned char *position = bytes;
    openssl.ERR_clear_error();
    while (count > 0) {
        // The output is in memory, so each write accepts all of its bytes at once.
        const int size = count > 1 << 20 ? 1 << 20 : (int)count;
        const int written = openssl.SSL_write(connection->session, position, size);
        if (written <= 0) {
            explain(connection->failure, sizeof connection->failure, "the handshake is not finished");
            return false;
        }
        position += written;
        count -= (size_t)written;
    }
    return true;
}

void loopback_tls_close(loopback_tls_connection *connection) {
    if (connection->failure[0] || !openssl.SSL_is_init_finished(connection->session)) return;
    openssl.SSL_shutdown(connection->session);
    openssl.ERR_clear_error();
}

void loopback_tls_failure(const loopback_tls_connection *connection, char *message, size_t size) {
    snprintf(message, size, "%s", connection->failure);
}

const char *loopback_tls_version(const loopback_tls_connection *connection) {
    return openssl.SSL_get_version(connection->session);
}

#else

const char *loopback_tls_unavailability(void) { return "TLS of the loopback server is available on Linux only"; }

loopback_tls_identity *loopback_tls_identity_make(
    const char *names, long valid_from, long valid_until, char *message, size_t size
) {
    snprintf(message, size, "%s", loopback_tls_unavailability());
    return NULL;
}

loopback_tls_identity *loopback_tls_identity_read(
    const void *certificate, size_t certificate_count, const void *key, size_t key_count, char *message, size_t size
) {
    snprintf(message, size, "%s", loopback_tls_unavailability());
    return NULL;
}

size_t loopback_tls_identity_certificate(const loopback_tls_identity *identity, const unsigned char **der) { return 0; }
void loopback_tls_identity_free(loopback_tls_identity *identity) {}
loopback_tls_connection *loopback_tls_connection_make(loopback_tls_identity *identity) { return NULL; }
void loopback_tls_connection_free(loopback_tls_connection *connection) {}
bool loopback_tls_feed(loopback_tls_connection *connection, const void *bytes, size_t count) { return false; }
size_t loopback_tls_drain(loopback_tls_connection *connection, void *buffer, size_t size) { return 0; }
long loopback_tls_read(loopback_tls_connection *connection, void *buffer, size_t size) { return LOOPBACK_TLS_FAILURE; }
bool loopback_tls_write(loopback_tls_connection *connection, const void *bytes, size_t count) { return false; }
void loopback_tls_close(loopback_tls_connection *connection) {}
void loopback_tls_failure(const loopback_tls_connection *connection, char *message, size_t size) {}
const char *loopback_tls_version(const loopback_tls_connection *connection) { return NULL; }

#endif
