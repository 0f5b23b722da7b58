#include "CLibcurl.h"
#include "OpenSSL.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <limits.h>
#include <pthread.h>
#include <stddef.h>

typedef void BIO;
typedef void EVP_PKEY;
typedef void PKCS12;
typedef void X509;

static struct {
    void (*ERR_clear_error)(void);
    BIO *(*BIO_new_mem_buf)(const void *, int);
    int (*BIO_free)(BIO *);
    X509 *(*PEM_read_bio_X509)(BIO *, X509 **, void *, void *);
    EVP_PKEY *(*PEM_read_bio_PrivateKey)(BIO *, EVP_PKEY **, void *, void *);
    PKCS12 *(*d2i_PKCS12)(PKCS12 **, const unsigned char **, long);
    int (*PKCS12_parse)(PKCS12 *, const char *, EVP_PKEY **, X509 **, void *);
    void (*PKCS12_free)(PKCS12 *);
    int (*X509_check_private_key)(const X509 *, const EVP_PKEY *);
    void (*X509_free)(X509 *);
    void (*EVP_PKEY_free)(EVP_PKEY *);
} openssl;

static bool is_available;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    if (libcurl_trust_unavailability()) return;
    const dynamic_function functions[] = {
        {"ERR_clear_error", &openssl.ERR_clear_error},
        {"BIO_new_mem_buf", &openssl.BIO_new_mem_buf},
        {"BIO_free", &openssl.BIO_free},
        {"PEM_read_bio_X509", &openssl.PEM_read_bio_X509},
        {"PEM_read_bio_PrivateKey", &openssl.PEM_read_bio_PrivateKey},
        {"d2i_PKCS12", &openssl.d2i_PKCS12},
        {"PKCS12_parse", &openssl.PKCS12_parse},
        {"PKCS12_free", &openssl.PKCS12_free},
        {"X509_check_private_key", &openssl.X509_check_private_key},
        {"X509_free", &openssl.X509_free},
        {"EVP_PKEY_free", &openssl.EVP_PKEY_free},
        {NULL, NULL},
    };
    _Static_assert(sizeof functions / sizeof *functions == sizeof openssl / sizeof(void *) + 1, "One each");
    is_available = !libcurl_find_openssl(functions);
}

/// Compares a key with a certificate, and frees both.
static enum libcurl_identity_state compare(X509 *certificate, EVP_PKEY *key) {
    enum libcurl_identity_state state = LIBCURL_IDENTITY_MATCHES;
    if (!certificate) {
        state = LIBCURL_IDENTITY_HAS_NO_CERTIFICATE;
    } else if (!key) {
        state = LIBCURL_IDENTITY_HAS_NO_KEY;
    } else if (openssl.X509_check_private_key(certificate, key) != 1) {
        state = LIBCURL_IDENTITY_DIFFERS;
    }
    if (certificate) openssl.X509_free(certificate);
    if (key) openssl.EVP_PKEY_free(key);
    openssl.ERR_clear_error();
    return state;
}

enum libcurl_identity_state libcurl_identity_check_pem(
    const void *certificate, size_t certificate_count, const void *key, size_t key_count, const char *passphrase
) {
    pthread_once(&once, load);
    if (!is_available) return LIBCURL_IDENTITY_UNKNOWN;
    if (certificate_count > INT_MAX || key_count > INT_MAX) return LIBCURL_IDENTITY_HAS_NO_KEY;
    openssl.ERR_clear_error();
    BIO *first = openssl.BIO_new_mem_buf(certificate, (int)certificate_count);
    BIO *second = openssl.BIO_new_mem_buf(key, (int)key_count);
    // Without a callback, the last argument is the passphrase. Without a passphrase, OpenSSL would read one from the
    // terminal.
    X509 *parsed = first ? openssl.PEM_read_bio_X509(first, NULL, NULL, (void *)"") : NULL;
    EVP_PKEY *parsed_key = second ? openssl.PEM_read_bio_PrivateKey(second, NULL, NULL, (void *)passphrase) : NULL;
    if (first) openssl.BIO_free(first);
    if (second) openssl.BIO_free(second);
    return compare(parsed, parsed_key);
}

enum libcurl_identity_state libcurl_identity_check_pkcs12(const void *bytes, size_t count, const char *passphrase) {
    pthread_once(&once, load);
    if (!is_available) return LIBCURL_IDENTITY_UNKNOWN;
    if (count > LONG_MAX) return LIBCURL_IDENTITY_HAS_NO_KEY;
    openssl.ERR_clear_error();
    const unsigned char *position = bytes;
    PKCS12 *container = openssl.d2i_PKCS12(NULL, &position, (long)count);
    X509 *certificate = NULL;
    EVP_PKEY *key = NULL;
    if (container) {
        // If the passphrase is wrong, neither is set.
        openssl.PKCS12_parse(container, passphrase, &key, &certificate, NULL);
        openssl.PKCS12_free(container);
    }
    return compare(certificate, key);
}

#endif
