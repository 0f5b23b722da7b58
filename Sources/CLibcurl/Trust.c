#include "CLibcurl.h"
#include "OpenSSL.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// MARK: OpenSSL

typedef void X509;
typedef void X509_CRL;
typedef void X509_PUBKEY;
typedef void X509_STORE;
typedef void X509_STORE_CTX;
typedef void OPENSSL_STACK;
typedef void SSL;
typedef void SSL_CTX;

enum { X509_V_OK = 0, X509_V_ERR_UNSPECIFIED = 1 };
enum { X509_V_FLAG_CRL_CHECK = 0x4, X509_V_FLAG_CRL_CHECK_ALL = 0x8 };
enum { X509_V_FLAG_TRUSTED_FIRST = 0x8000, X509_V_FLAG_PARTIAL_CHAIN = 0x80000 };
enum { X509_CHECK_FLAG_NO_WILDCARDS = 0x2, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS = 0x4 };
enum { X509_CHECK_FLAG_NEVER_CHECK_SUBJECT = 0x20 };
enum { NID_subject_alt_name = 85, GEN_DNS = 2, GEN_IPADD = 7 };
enum { OPENSSL_VERSION = 0, TLSEXT_NAMETYPE_host_name = 0, CRYPTO_EX_INDEX_SSL_CTX = 1 };

typedef void (*free_extra)(void *parent, void *pointer, void *data, int index, long number, void *argument);

static struct {
    const char *(*version)(int);
    void (*ERR_clear_error)(void);
    void (*free)(void *, const char *, int);
    int (*get_ex_new_index)(int, long, void *, void *, void *, free_extra);
    int (*sk_num)(const OPENSSL_STACK *);
    void *(*sk_value)(const OPENSSL_STACK *, int);
    OPENSSL_STACK *(*sk_new_null)(void);
    int (*sk_push)(OPENSSL_STACK *, const void *);
    void (*sk_free)(OPENSSL_STACK *);
    X509 *(*d2i_X509)(X509 **, const unsigned char **, long);
    int (*i2d_X509)(const X509 *, unsigned char **);
    void (*X509_free)(X509 *);
    int (*X509_check_host)(X509 *, const char *, size_t, unsigned int, char **);
    int (*X509_check_ip)(X509 *, const unsigned char *, size_t, unsigned int);
    X509_CRL *(*d2i_X509_CRL)(X509_CRL **, const unsigned char **, long);
    void (*X509_CRL_free)(X509_CRL *);
    X509_PUBKEY *(*X509_get_X509_PUBKEY)(const X509 *);
    int (*i2d_X509_PUBKEY)(const X509_PUBKEY *, unsigned char **);
    void *(*X509_get_ext_d2i)(const X509 *, int, int *, int *);
    void *(*GENERAL_NAME_get0_value)(const void *, int *);
    void (*GENERAL_NAMES_free)(void *);
    int (*X509_verify_cert)(X509_STORE_CTX *);
    X509_STORE *(*store_new)(void);
    void (*store_free)(X509_STORE *);
    int (*store_add_cert)(X509_STORE *, X509 *);
    int (*store_set_flags)(X509_STORE *, unsigned long);
    X509_STORE_CTX *(*context_new)(void);
    void (*context_free)(X509_STORE_CTX *);
    int (*context_init)(X509_STORE_CTX *, X509_STORE *, X509 *, OPENSSL_STACK *);
    int (*context_set_default)(X509_STORE_CTX *, const char *);
    OPENSSL_STACK *(*context_get0_chain)(const X509_STORE_CTX *);
    X509 *(*context_get0_cert)(const X509_STORE_CTX *);
    OPENSSL_STACK *(*context_get0_untrusted)(const X509_STORE_CTX *);
    int (*context_get_error)(const X509_STORE_CTX *);
    int (*context_get_error_depth)(const X509_STORE_CTX *);
    void (*context_set0_crls)(X509_STORE_CTX *, OPENSSL_STACK *);
    void (*context_set_flags)(X509_STORE_CTX *, unsigned long);
    void (*context_set_error)(X509_STORE_CTX *, int);
    void (*context_set_verify_cb)(X509_STORE_CTX *, int (*)(int, X509_STORE_CTX *));
    void *(*context_get_ex_data)(const X509_STORE_CTX *, int);
    int (*SSL_get_ex_data_X509_STORE_CTX_idx)(void);
    const char *(*SSL_get_servername)(const SSL *, int);
    X509_STORE *(*SSL_CTX_get_cert_store)(const SSL_CTX *);
    void (*SSL_CTX_set1_cert_store)(SSL_CTX *, X509_STORE *);
    int (*SSL_CTX_set_ex_data)(SSL_CTX *, int, void *);
    void (*SSL_CTX_set_cert_verify_callback)(SSL_CTX *, int (*)(X509_STORE_CTX *, void *), void *);
} openssl;

/// The check of a TLS context, its host, and the peer that is identified by an address. It is freed with the context.
typedef struct {
    libcurl_trust *trust;
    bool checks_name;
    const char *peer;
    char host[];
} attachment;

static char unavailability[200];
static int attachment_index = -1;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_attachment(void *parent, void *pointer, void *data, int index, long number, void *argument) { free(pointer); }

static void load(void) {
    const char *library = libcurl_tls_library();
    const dynamic_function functions[] = {
        {"OpenSSL_version", &openssl.version},
        {"ERR_clear_error", &openssl.ERR_clear_error},
        {"CRYPTO_free", &openssl.free},
        {"CRYPTO_get_ex_new_index", &openssl.get_ex_new_index},
        {"OPENSSL_sk_num", &openssl.sk_num},
        {"OPENSSL_sk_value", &openssl.sk_value},
        {"OPENSSL_sk_new_null", &openssl.sk_new_null},
        {"OPENSSL_sk_push", &openssl.sk_push},
        {"OPENSSL_sk_free", &openssl.sk_free},
        {"d2i_X509", &openssl.d2i_X509},
        {"i2d_X509", &openssl.i2d_X509},
        {"X509_free", &openssl.X509_free},
        {"X509_check_host", &openssl.X509_check_host},
        {"X509_check_ip", &openssl.X509_check_ip},
        {"d2i_X509_CRL", &openssl.d2i_X509_CRL},
        {"X509_CRL_free", &openssl.X509_CRL_free},
        {"X509_get_X509_PUBKEY", &openssl.X509_get_X509_PUBKEY},
        {"i2d_X509_PUBKEY", &openssl.i2d_X509_PUBKEY},
        {"X509_get_ext_d2i", &openssl.X509_get_ext_d2i},
        {"GENERAL_NAME_get0_value", &openssl.GENERAL_NAME_get0_value},
        {"GENERAL_NAMES_free", &openssl.GENERAL_NAMES_free},
        {"X509_verify_cert", &openssl.X509_verify_cert},
        {"X509_STORE_new", &openssl.store_new},
        {"X509_STORE_free", &openssl.store_free},
        {"X509_STORE_add_cert", &openssl.store_add_cert},
        {"X509_STORE_set_flags", &openssl.store_set_flags},
        {"X509_STORE_CTX_new", &openssl.context_new},
        {"X509_STORE_CTX_free", &openssl.context_free},
        {"X509_STORE_CTX_init", &openssl.context_init},
        {"X509_STORE_CTX_set_default", &openssl.context_set_default},
        {"X509_STORE_CTX_get0_chain", &openssl.context_get0_chain},
        {"X509_STORE_CTX_get0_cert", &openssl.context_get0_cert},
        {"X509_STORE_CTX_get0_untrusted", &openssl.context_get0_untrusted},
        {"X509_STORE_CTX_get_error", &openssl.context_get_error},
        {"X509_STORE_CTX_get_error_depth", &openssl.context_get_error_depth},
        {"X509_STORE_CTX_set0_crls", &openssl.context_set0_crls},
        {"X509_STORE_CTX_set_flags", &openssl.context_set_flags},
        {"X509_STORE_CTX_set_error", &openssl.context_set_error},
        {"X509_STORE_CTX_set_verify_cb", &openssl.context_set_verify_cb},
        {"X509_STORE_CTX_get_ex_data", &openssl.context_get_ex_data},
        {"SSL_get_ex_data_X509_STORE_CTX_idx", &openssl.SSL_get_ex_data_X509_STORE_CTX_idx},
        {"SSL_get_servername", &openssl.SSL_get_servername},
        {"SSL_CTX_get_cert_store", &openssl.SSL_CTX_get_cert_store},
        {"SSL_CTX_set1_cert_store", &openssl.SSL_CTX_set1_cert_store},
        {"SSL_CTX_set_ex_data", &openssl.SSL_CTX_set_ex_data},
        {"SSL_CTX_set_cert_verify_callback", &openssl.SSL_CTX_set_cert_verify_callback},
        {NULL, NULL},
    };
    const char *missing = libcurl_find_openssl(functions);
    if (!library || strncmp(library, "OpenSSL/", 8)) {
        snprintf(unavailability, sizeof unavailability, "libcurl uses %s for TLS, and not OpenSSL", library ? library : "no library");
    } else if (missing) {
        snprintf(unavailability, sizeof unavailability, "%s has no function %s", library, missing);
    } else if (!openssl_is_library_of_libcurl(library, openssl.version(OPENSSL_VERSION))) {
        snprintf(unavailability, sizeof unavailability, "the functions of %s cannot be told from those of another OpenSSL", library);
    } else {
        attachment_index = openssl.get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, NULL, NULL, NULL, free_attachment);
        if (attachment_index < 0) snprintf(unavailability, sizeof unavailability, "%s has no memory", library);
    }
}

const char *libcurl_trust_unavailability(void) {
    pthread_once(&once, load);
    return unavailability[0] ? unavailability : NULL;
}

// MARK: Certificates

struct libcurl_trust {
    libcurl_trust_judge judge;
    void *context;
    libcurl_trust_details details;
    enum libcurl_trust_revocation revocation;
    libcurl_revocation_lists *lists;
    X509_STORE *roots;
    X509_STORE *anchors;
    X509 **additional;
    size_t additional_count;
};

libcurl_trust *libcurl_trust_new(libcurl_trust_judge judge, void *context) {
    if (libcurl_trust_unavailability()) return NULL;
    libcurl_trust *trust = calloc(1, sizeof *trust);
    if (!trust) return NULL;
    trust->judge = judge;
    trust->context = context;
    return trust;
}

void libcurl_trust_set_details(libcurl_trust *trust, libcurl_trust_details details) { trust->details = details; }

void libcurl_trust_free(libcurl_trust *trust) {
    if (trust->lists) libcurl_revocation_lists_free(trust->lists);
    if (trust->roots) openssl.store_free(trust->roots);
    if (trust->anchors) openssl.store_free(trust->anchors);
    for (size_t i = 0; i < trust->additional_count; i++) openssl.X509_free(trust->additional[i]);
    free(trust->additional);
    free(trust);
}

/// Creates a store with the same flags as libcurl's own store. A chain may end in any certificate of the store.
static bool make_store(X509_STORE **store) {
    if (!*store) *store = openssl.store_new();
    return *store && openssl.store_set_flags(*store, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN) == 1;
}

bool libcurl_trust_use_own_roots(libcurl_trust *trust) { return make_store(&trust->roots); }

bool libcurl_trust_add(libcurl_trust *trust, enum libcurl_trust_role role, const void *bytes, size_t count) {
    const unsigned char *position = bytes;
    X509 *certificate = openssl.d2i_X509(NULL, &position, (long)count);
    bool is_added = false;
    if (certificate && position == (const unsigned char *)bytes + count) {
        switch (role) {
        case LIBCURL_TRUST_ROOT: is_added = make_store(&trust->roots) && openssl.store_add_cert(trust->roots, certificate) == 1; break;
        case LIBCURL_TRUST_ANCHOR: is_added = make_store(&trust->anchors) && openssl.store_add_cert(trust->anchors, certificate) == 1; break;
        case LIBCURL_TRUST_ADDITIONAL_ROOT: {
            X509 **list = realloc(trust->additional, (trust->additional_count + 1) * sizeof *list);
            if (!list) break;
            trust->additional = list;
            list[trust->additional_count++] = certificate;
            openssl.ERR_clear_error();
            return true;
        }
        }
    }
    if (certificate) openssl.X509_free(certificate);
    openssl.ERR_clear_error();
    return is_added;
}

// MARK: Revocation

struct libcurl_revocation_lists {
    OPENSSL_STACK *stack;
};

libcurl_revocation_lists *libcurl_revocation_lists_new(void) {
    if (libcurl_trust_unavailability()) return NULL;
    libcurl_revocation_lists *lists = calloc(1, sizeof *lists);
    if (lists) lists->stack = openssl.sk_new_null();
    if (lists && lists->stack) return lists;
    free(lists);
    return NULL;
}

bool libcurl_revocation_lists_add(libcurl_revocation_lists *lists, const void *bytes, size_t count) {
    const unsigned char *position = bytes;
    X509_CRL *list = openssl.d2i_X509_CRL(NULL, &position, (long)count);
    const bool is_whole = list && position == (const unsigned char *)bytes + count;
    const bool is_added = is_whole && openssl.sk_push(lists->stack, list) > 0;
    if (list && !is_added) openssl.X509_CRL_free(list);
    openssl.ERR_clear_error();
    return is_added;
}

void libcurl_revocation_lists_free(libcurl_revocation_lists *lists) {
    for (int i = 0; i < openssl.sk_num(lists->stack); i++) openssl.X509_CRL_free(openssl.sk_value(lists->stack, i));
    openssl.sk_free(lists->stack);
    free(lists);
}

void libcurl_trust_check_revocation(
    libcurl_trust *trust, enum libcurl_trust_revocation revocation, libcurl_revocation_lists *lists
) {
    if (trust->lists) libcurl_revocation_lists_free(trust->lists);
    trust->lists = lists;
    trust->revocation = revocation;
}

/// Makes a verification check the lists.
///
/// The lists belong to the verification and not to the store, because libcurl may share its store with other sessions,
/// and because a list that was replaced could not be removed from a store.
static void use_lists(const libcurl_trust *trust, X509_STORE_CTX *verification) {
    if (trust->revocation == LIBCURL_TRUST_REVOCATION_NONE) return;
    unsigned long flags = X509_V_FLAG_CRL_CHECK;
    if (trust->revocation == LIBCURL_TRUST_REVOCATION_CHAIN) flags |= X509_V_FLAG_CRL_CHECK_ALL;
    openssl.context_set_flags(verification, flags);
    if (trust->lists) openssl.context_set0_crls(verification, trust->lists->stack);
}

// MARK: Handshakes

enum { most_errors = 32 };

typedef struct {
    int errors[most_errors];
    int depths[most_errors];
    size_t count;
} objections;

/// Whether an error means that a certificate cannot be looked up in a list. The certificate may be revoked or not.
static bool is_lack_of_list(int error) {
    switch (error) {
    // There is no list, or the list's issuer is unknown.
    case 3: case 33:
    // The list's signature cannot be read, or is wrong.
    case 5: case 8:
    // The list is not valid yet or has expired, or its dates are malformed.
    case 11: case 12: case 15: case 16:
    // The issuer must not sign lists, an extension is unknown, the list is for other certificates, or its issuer is not
    // trusted.
    case 35: case 36: case 44: case 54: return true;
    default: return false;
    }
}

/// Whether an error means that the chain does not end in a trusted certificate.
static bool is_lack_of_root(int error) {
    switch (error) {
    case 2: case 18: case 19: case 20: case 21: return true;
    default: return false;
    }
}

/// Removes the errors that say that no list was found for the trusted certificate at the end of the chain. It is
/// trusted because of the configuration and not because of its issuer (RFC 5280, section 6.1), so no list is needed.
static void ignore_lists_for_root(objections *objections, int length) {
    for (size_t i = 0; i < objections->count; i++) {
        if (is_lack_of_root(objections->errors[i])) return;
    }
    size_t count = 0;
    for (size_t i = 0; i < objections->count; i++) {
        if (objections->depths[i] == length - 1 && is_lack_of_list(objections->errors[i])) continue;
        objections->errors[count] = objections->errors[i];
        objections->depths[count++] = objections->depths[i];
    }
    objections->count = count;
}

/// The objections of the verification that is running on this thread. OpenSSL's callback has no context parameter, so a
/// variable is needed.
static _Thread_local objections *current;

/// Records an error, and lets the verification continue to its end.
static int collect(int is_fine, X509_STORE_CTX *verification) {
    if (is_fine || !current) return is_fine;
    if (current->count < most_errors) {
        current->depths[current->count] = openssl.context_get_error_depth(verification);
        current->errors[current->count++] = openssl.context_get_error(verification);
    }
    // If there is no room for all errors, the last error becomes an unspecified error, so that no error is ignored.
    if (current->count == most_errors) current->errors[most_errors - 1] = X509_V_ERR_UNSPECIFIED;
    return 1;
}

/// Whether the server's certificates form a valid chain that ends in one of the anchors.
static bool is_anchored(const libcurl_trust *trust, X509_STORE_CTX *verification) {
    if (!trust->anchors) return false;
    X509_STORE_CTX *second = openssl.context_new();
    bool result = second
        && openssl.context_init(
               second, trust->anchors, openssl.context_get0_cert(verification), openssl.context_get0_untrusted(verification)
           ) == 1
        && openssl.context_set_default(second, "ssl_server") == 1 && openssl.X509_verify_cert(second) == 1
        && openssl.context_get_error(second) == X509_V_OK;
    if (second) openssl.context_free(second);
    return result;
}

/// Whether a certificate has a host or an address in its subjectAltName. If it has none, libcurl compares the common
/// name of the subject.
static bool has_names(const X509 *certificate) {
    OPENSSL_STACK *names = certificate ? openssl.X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL) : NULL;
    if (!names) return false;
    bool result = false;
    for (int i = 0; i < openssl.sk_num(names) && !result; i++) {
        int type = -1;
        openssl.GENERAL_NAME_get0_value(openssl.sk_value(names, i), &type);
        result = type == GEN_DNS || type == GEN_IPADD;
    }
    openssl.GENERAL_NAMES_free(names);
    return result;
}

/// Whether a certificate is valid for a name or an address, by the rules of libcurl.
/// @param has_common_name Whether the common name of the subject counts.
static bool has_name(X509 *certificate, const char *name, bool has_common_name) {
    unsigned char address[16];
    if (!certificate) return false;
    const size_t size = inet_pton(AF_INET, name, address) == 1 ? 4 : inet_pton(AF_INET6, name, address) == 1 ? 16 : 0;
    if (size && openssl.X509_check_ip(certificate, address, size, 0) == 1) return true;
    if (size && !has_common_name) return false;
    unsigned int flags = size ? X509_CHECK_FLAG_NO_WILDCARDS : X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS;
    if (!has_common_name) flags |= X509_CHECK_FLAG_NEVER_CHECK_SUBJECT;
    return openssl.X509_check_host(certificate, name, strlen(name), flags, NULL) == 1;
}

/// Encodes the certificates of a chain. Returns NULL if they are not needed, or if there is no memory.
static libcurl_bytes *encode_certificates(const libcurl_trust *trust, const OPENSSL_STACK *chain, int length) {
    libcurl_bytes *list = trust->details.has_certificates && length > 0 ? calloc((size_t)length, sizeof *list) : NULL;
    for (int i = 0; list && i < length; i++) {
        unsigned char *bytes = NULL;
        const int count = openssl.i2d_X509(openssl.sk_value(chain, i), &bytes);
        if (count > 0) list[i] = (libcurl_bytes){bytes, (size_t)count};
    }
    return list;
}

static void free_list(libcurl_bytes *list, int length) {
    for (int i = 0; list && i < length; i++) {
        if (list[i].bytes) openssl.free((void *)list[i].bytes, __FILE__, __LINE__);
    }
    free(list);
}

/// Replaces the verification of a handshake. Called once for each handshake with certificates, before any byte of the
/// request is sent.
static int verify(X509_STORE_CTX *verification, void *context) {
    const attachment *attachment = context;
    libcurl_trust *trust = attachment->trust;
    objections objections = {.count = 0};

    openssl.context_set_verify_cb(verification, collect);
    use_lists(trust, verification);
    current = &objections;
    const int outcome = openssl.X509_verify_cert(verification);
    current = NULL;
    if (outcome != 1) {
        // The verification has stopped early, because there was no memory or no certificate.
        openssl.context_set_error(verification, X509_V_ERR_UNSPECIFIED);
        return 0;
    }

    OPENSSL_STACK *chain = openssl.context_get0_chain(verification);
    const int length = chain ? openssl.sk_num(chain) : 0;
    if (trust->revocation != LIBCURL_TRUST_REVOCATION_NONE) ignore_lists_for_root(&objections, length);
    libcurl_bytes *keys = length > 0 ? calloc((size_t)length, sizeof *keys) : NULL;
    for (int i = 0; keys && i < length; i++) {
        unsigned char *bytes = NULL;
        const int count = openssl.i2d_X509_PUBKEY(openssl.X509_get_X509_PUBKEY(openssl.sk_value(chain, i)), &bytes);
        if (count > 0) keys[i] = (libcurl_bytes){bytes, (size_t)count};
    }
    const SSL *session = openssl.context_get_ex_data(verification, openssl.SSL_get_ex_data_X509_STORE_CTX_idx());
    const char *name = session ? openssl.SSL_get_servername(session, TLSEXT_NAMETYPE_host_name) : NULL;
    const char *peer = name ? name : attachment->peer;
    X509 *leaf = openssl.context_get0_cert(verification);
    const bool leaf_has_names = has_names(leaf);
    const bool has_common_name = trust->details.accepts_common_names && !leaf_has_names;
    libcurl_bytes *certificates = encode_certificates(trust, chain, length);
    const libcurl_trust_evidence evidence = {
        .server_name = name,
        .host = attachment->host,
        .errors = objections.errors,
        .error_count = objections.count,
        .keys = keys,
        .key_count = keys ? (size_t)length : 0,
        .is_anchored = is_anchored(trust, verification),
        .has_names = leaf_has_names,
        .peer = peer,
        .is_for_peer = !attachment->checks_name || has_name(leaf, peer, has_common_name),
        .certificates = certificates,
        .certificate_count = certificates ? (size_t)length : 0,
    };
    const int error = trust->judge(trust->context, &evidence);
    free_list(keys, length);
    free_list(certificates, length);
    // libcurl reports the first of OpenSSL's errors as the reason of a failure. So the errors are cleared.
    openssl.ERR_clear_error();
    openssl.context_set_error(verification, error);
    return error == X509_V_OK;
}

bool libcurl_trust_attach(
    libcurl_trust *trust, void *tls_context, const char *host, const char *peer, bool checks_name
) {
    const size_t size = strlen(host) + 1;
    const size_t peer_size = strlen(peer) + 1;
    attachment *attachment = malloc(sizeof *attachment + size + peer_size);
    if (!attachment) return false;
    attachment->trust = trust;
    attachment->checks_name = checks_name;
    memcpy(attachment->host, host, size);
    attachment->peer = memcpy(attachment->host + size, peer, peer_size);
    if (openssl.SSL_CTX_set_ex_data(tls_context, attachment_index, attachment) != 1) {
        free(attachment);
        return false;
    }
    openssl.SSL_CTX_set_cert_verify_callback(tls_context, verify, attachment);
    if (trust->roots) {
        openssl.SSL_CTX_set1_cert_store(tls_context, trust->roots);
    } else if (trust->additional_count) {
        // The contexts of a session may share the store. It is not an error to add a certificate again.
        X509_STORE *store = openssl.SSL_CTX_get_cert_store(tls_context);
        for (size_t i = 0; i < trust->additional_count; i++) {
            if (!store || openssl.store_add_cert(store, trust->additional[i]) != 1) return false;
        }
    }
    return true;
}

#endif
