#include "CSignatures.h"
#include "CDynamicLibrary.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// MARK: OpenSSL

typedef void BIO;
typedef void EVP_CIPHER;
typedef void EVP_CIPHER_CTX;
typedef void EVP_MD;
typedef void EVP_MD_CTX;
typedef void EVP_PKEY;
typedef void EVP_PKEY_CTX;

typedef int (*begin_operation)(EVP_MD_CTX *, EVP_PKEY_CTX **, const EVP_MD *, void *engine, EVP_PKEY *);
typedef int (*get_password)(char *, int, int, void *);
typedef EVP_PKEY *(*read_pem)(BIO *, EVP_PKEY **, get_password, void *);

static struct {
    int (*EVP_CIPHER_CTX_ctrl)(EVP_CIPHER_CTX *, int, int, void *);
    void (*EVP_CIPHER_CTX_free)(EVP_CIPHER_CTX *);
    EVP_CIPHER_CTX *(*EVP_CIPHER_CTX_new)(void);
    int (*EVP_CipherFinal_ex)(EVP_CIPHER_CTX *, unsigned char *, int *);
    int (*EVP_CipherInit_ex)(
        EVP_CIPHER_CTX *, const EVP_CIPHER *, void *engine, const unsigned char *, const unsigned char *, int
    );
    int (*EVP_CipherUpdate)(EVP_CIPHER_CTX *, unsigned char *, int *, const unsigned char *, int);
    const EVP_CIPHER *(*EVP_aes_256_gcm)(void);
    int (*EVP_DigestSign)(EVP_MD_CTX *, unsigned char *, size_t *, const unsigned char *, size_t);
    begin_operation EVP_DigestSignInit;
    int (*EVP_DigestVerify)(EVP_MD_CTX *, const unsigned char *, size_t, const unsigned char *, size_t);
    begin_operation EVP_DigestVerifyInit;
    EVP_MD_CTX *(*EVP_MD_CTX_new)(void);
    void (*EVP_MD_CTX_free)(EVP_MD_CTX *);
    int (*EVP_PKEY_CTX_ctrl_str)(EVP_PKEY_CTX *, const char *, const char *);
    void (*EVP_PKEY_free)(EVP_PKEY *);
    const EVP_MD *(*EVP_sha256)(void);
    const EVP_MD *(*EVP_sha384)(void);
    const EVP_MD *(*EVP_sha512)(void);
    BIO *(*BIO_new_mem_buf)(const void *, int);
    int (*BIO_free)(BIO *);
    read_pem PEM_read_bio_PrivateKey;
    read_pem PEM_read_bio_PUBKEY;
    int (*i2d_PUBKEY)(const EVP_PKEY *, unsigned char **);
    void (*CRYPTO_free)(void *, const char *, int);
    void (*ERR_clear_error)(void);
    unsigned long (*ERR_get_error)(void);
    const char *(*ERR_reason_error_string)(unsigned long);
    int (*OPENSSL_init_crypto)(uint64_t, const void *);
} openssl;

static char unavailability[200];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so.4", NULL};
    const dynamic_function functions[] = {
        // Since 1.1.1, so that an older OpenSSL in the process is passed over.
        {"EVP_DigestSign", &openssl.EVP_DigestSign},
        {"EVP_CIPHER_CTX_ctrl", &openssl.EVP_CIPHER_CTX_ctrl},
        {"EVP_CIPHER_CTX_free", &openssl.EVP_CIPHER_CTX_free},
        {"EVP_CIPHER_CTX_new", &openssl.EVP_CIPHER_CTX_new},
        {"EVP_CipherFinal_ex", &openssl.EVP_CipherFinal_ex},
        {"EVP_CipherInit_ex", &openssl.EVP_CipherInit_ex},
        {"EVP_CipherUpdate", &openssl.EVP_CipherUpdate},
        {"EVP_aes_256_gcm", &openssl.EVP_aes_256_gcm},
        {"EVP_DigestSignInit", &openssl.EVP_DigestSignInit},
        {"EVP_DigestVerify", &openssl.EVP_DigestVerify},
        {"EVP_DigestVerifyInit", &openssl.EVP_DigestVerifyInit},
        {"EVP_MD_CTX_new", &openssl.EVP_MD_CTX_new},
        {"EVP_MD_CTX_free", &openssl.EVP_MD_CTX_free},
        {"EVP_PKEY_CTX_ctrl_str", &openssl.EVP_PKEY_CTX_ctrl_str},
        {"EVP_PKEY_free", &openssl.EVP_PKEY_free},
        {"EVP_sha256", &openssl.EVP_sha256},
        {"EVP_sha384", &openssl.EVP_sha384},
        {"EVP_sha512", &openssl.EVP_sha512},
        {"BIO_new_mem_buf", &openssl.BIO_new_mem_buf},
        {"BIO_free", &openssl.BIO_free},
        {"PEM_read_bio_PrivateKey", &openssl.PEM_read_bio_PrivateKey},
        {"PEM_read_bio_PUBKEY", &openssl.PEM_read_bio_PUBKEY},
        {"i2d_PUBKEY", &openssl.i2d_PUBKEY},
        {"CRYPTO_free", &openssl.CRYPTO_free},
        {"ERR_clear_error", &openssl.ERR_clear_error},
        {"ERR_get_error", &openssl.ERR_get_error},
        {"ERR_reason_error_string", &openssl.ERR_reason_error_string},
        {"OPENSSL_init_crypto", &openssl.OPENSSL_init_crypto},
        {NULL, NULL},
    };
    dynamic_library library;
    if (!dynamic_library_open(&library, functions[0].name, names)) {
        const char *reason = dynamic_library_is_static_program()
            ? "OpenSSL is not linked into this program"
            : "OpenSSL's libcrypto (libcrypto.so.3, libcrypto.so.1.1 or libcrypto.so.4) is not installed";
        snprintf(unavailability, sizeof unavailability, "%s", reason);
        return;
    }
    const char *missing = dynamic_library_find(library, functions);
    if (missing) {
        snprintf(unavailability, sizeof unavailability, "the OpenSSL that was found has no function %s", missing);
        return;
    }
    // Prevents OpenSSL from freeing, at the end of the process, data that other threads still use. OpenSSL applies only
    // the options of its first caller.
    enum { OPENSSL_INIT_NO_ATEXIT = 0x00080000 };
    openssl.OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

const char *signatures_unavailability(void) {
    pthread_once(&once, load);
    return unavailability[0] ? unavailability : NULL;
}

// MARK: Keys

struct signature_key {
    EVP_PKEY *pkey;
    unsigned char *der;
    size_t der_count;
};

/// The password of a key.
typedef struct {
    const unsigned char *bytes;
    size_t count;
    /// Whether OpenSSL has asked for it.
    bool is_needed;
} password_source;

/// Gives OpenSSL the password. Without this function, OpenSSL would ask the user at the terminal.
static int copy_password(char *buffer, int size, int is_writing, void *context) {
    password_source *password = context;
    password->is_needed = true;
    if (size < 0 || password->count > (size_t)size) return -1;
    if (password->count) memcpy(buffer, password->bytes, password->count);
    return (int)password->count;
}

/// Takes a key, which may be NULL.
static signature_key *make_key(EVP_PKEY *pkey) {
    if (!pkey) return NULL;
    signature_key *key = calloc(1, sizeof *key);
    if (!key) {
        openssl.EVP_PKEY_free(pkey);
        return NULL;
    }
    key->pkey = pkey;
    const int count = openssl.i2d_PUBKEY(pkey, &key->der);
    if (count > 0) {
        key->der_count = (size_t)count;
        return key;
    }
    signature_key_free(key);
    return NULL;
}

static signature_key *read_key(read_pem read, const unsigned char *pem, size_t count, password_source *password) {
    openssl.ERR_clear_error();
    signature_key *key = NULL;
    BIO *bio = count <= INT_MAX ? openssl.BIO_new_mem_buf(pem, (int)count) : NULL;
    if (bio) {
        key = make_key(read(bio, NULL, copy_password, password));
        openssl.BIO_free(bio);
    }
    openssl.ERR_clear_error();
    return key;
}

signature_key *signature_key_read_private(
    const unsigned char *pem,
    size_t count,
    const unsigned char *password,
    size_t password_count,
    signature_key_status *status
) {
    password_source source = {password, password_count, false};
    signature_key *key = read_key(openssl.PEM_read_bio_PrivateKey, pem, count, &source);
    *status = key ? signature_key_usable : source.is_needed ? signature_key_encrypted : signature_key_malformed;
    return key;
}

signature_key *signature_key_read_public(const unsigned char *pem, size_t count) {
    password_source source = {NULL, 0, false};
    return read_key(openssl.PEM_read_bio_PUBKEY, pem, count, &source);
}

size_t signature_key_public(const signature_key *key, const unsigned char **der) {
    *der = key->der;
    return key->der_count;
}

void signature_key_free(signature_key *key) {
    openssl.EVP_PKEY_free(key->pkey);
    if (key->der) openssl.CRYPTO_free(key->der, __FILE__, __LINE__);
    free(key);
}

// MARK: Signatures

static const EVP_MD *function_of(signature_digest digest) {
    switch (digest) {
    case signature_no_digest: return NULL;
    case signature_sha256: return openssl.EVP_sha256();
    case signature_sha384: return openssl.EVP_sha384();
    case signature_sha512: return openssl.EVP_sha512();
    }
    return NULL;
}

/// Returns the context of an operation with a key; NULL if the scheme does not fit the key.
static EVP_MD_CTX *make_context(
    begin_operation begin, const signature_key *key, signature_scheme scheme, signature_digest digest
) {
    EVP_MD_CTX *context = openssl.EVP_MD_CTX_new();
    // Belongs to the context above.
    EVP_PKEY_CTX *parameters = NULL;
    bool is_ready = context && begin(context, &parameters, function_of(digest), NULL, key->pkey) == 1;
    switch (scheme) {
    case signature_rsa_pkcs1:
        is_ready = is_ready && openssl.EVP_PKEY_CTX_ctrl_str(parameters, "rsa_padding_mode", "pkcs1") > 0;
        break;
    case signature_rsa_pss:
        is_ready = is_ready && openssl.EVP_PKEY_CTX_ctrl_str(parameters, "rsa_padding_mode", "pss") > 0
            && openssl.EVP_PKEY_CTX_ctrl_str(parameters, "rsa_pss_saltlen", "digest") > 0;
        break;
    case signature_ecdsa:
    case signature_ed25519: break;
    }
    if (is_ready) return context;
    if (context) openssl.EVP_MD_CTX_free(context);
    return NULL;
}

/// Returns the first OpenSSL error of this thread, and removes all. The text has no data of the operation.
static const char *take_reason(void) {
    const unsigned long error = openssl.ERR_get_error();
    openssl.ERR_clear_error();
    return error ? openssl.ERR_reason_error_string(error) : NULL;
}

size_t signature_make(
    const signature_key *key,
    signature_scheme scheme,
    signature_digest digest,
    const void *data,
    size_t count,
    unsigned char *signature,
    size_t size,
    const char **reason
) {
    openssl.ERR_clear_error();
    const unsigned char *bytes = data ? data : (const void *)"";
    size_t length = 0;
    EVP_MD_CTX *context = make_context(openssl.EVP_DigestSignInit, key, scheme, digest);
    // The first call returns the greatest possible length.
    bool is_made = context && openssl.EVP_DigestSign(context, NULL, &length, bytes, count) == 1 && length <= size;
    if (is_made) {
        length = size;
        is_made = openssl.EVP_DigestSign(context, signature, &length, bytes, count) == 1;
    }
    if (context) openssl.EVP_MD_CTX_free(context);
    *reason = take_reason();
    return is_made ? length : 0;
}

signature_validity signature_verify(
    const signature_key *key,
    signature_scheme scheme,
    signature_digest digest,
    const void *data,
    size_t count,
    const unsigned char *signature,
    size_t size,
    const char **reason
) {
    openssl.ERR_clear_error();
    EVP_MD_CTX *context = make_context(openssl.EVP_DigestVerifyInit, key, scheme, digest);
    signature_validity validity = signature_is_refused;
    if (context) {
        const unsigned char *bytes = data ? data : (const void *)"";
        const unsigned char *compared = signature ? signature : (const void *)"";
        // A negative result is a signature that OpenSSL cannot read.
        const bool is_valid = openssl.EVP_DigestVerify(context, compared, size, bytes, count) == 1;
        validity = is_valid ? signature_is_valid : signature_is_invalid;
        openssl.EVP_MD_CTX_free(context);
    }
    *reason = take_reason();
    return validity;
}

// MARK: Encryption

bool cipher_apply(
    bool is_encrypting,
    const unsigned char *key,
    const unsigned char *nonce,
    const void *associated,
    size_t associated_count,
    const void *data,
    size_t count,
    unsigned char *result,
    unsigned char *tag
) {
    // The tag is read for a decryption, and written for an encryption.
    enum { EVP_CTRL_AEAD_GET_TAG = 0x10, EVP_CTRL_AEAD_SET_TAG = 0x11 };
    if (associated_count > INT_MAX || count > INT_MAX) return false;
    openssl.ERR_clear_error();
    EVP_CIPHER_CTX *context = openssl.EVP_CIPHER_CTX_new();
    int length = 0;
    unsigned char rest[16];
    // The default length of a nonce is 12 bytes.
    bool is_done = context
        && openssl.EVP_CipherInit_ex(context, openssl.EVP_aes_256_gcm(), NULL, key, nonce, is_encrypting) == 1
        && (!associated_count
            || openssl.EVP_CipherUpdate(context, NULL, &length, associated, (int)associated_count) == 1)
        && (!count || openssl.EVP_CipherUpdate(context, result, &length, data, (int)count) == 1)
        && (is_encrypting || openssl.EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, cipher_tag_size, tag) == 1)
        && openssl.EVP_CipherFinal_ex(context, rest, &length) == 1
        && (!is_encrypting || openssl.EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, cipher_tag_size, tag) == 1);
    if (context) openssl.EVP_CIPHER_CTX_free(context);
    openssl.ERR_clear_error();
    return is_done;
}

#else

const char *signatures_unavailability(void) { return "OpenSSL is used on Linux only"; }

signature_key *signature_key_read_private(
    const unsigned char *pem,
    size_t count,
    const unsigned char *password,
    size_t password_count,
    signature_key_status *status
) {
    *status = signature_key_malformed;
    return NULL;
}

signature_key *signature_key_read_public(const unsigned char *pem, size_t count) { return NULL; }
size_t signature_key_public(const signature_key *key, const unsigned char **der) { return 0; }
void signature_key_free(signature_key *key) {}

size_t signature_make(
    const signature_key *key,
    signature_scheme scheme,
    signature_digest digest,
    const void *data,
    size_t count,
    unsigned char *signature,
    size_t size,
    const char **reason
) {
    return 0;
}

signature_validity signature_verify(
    const signature_key *key,
    signature_scheme scheme,
    signature_digest digest,
    const void *data,
    size_t count,
    const unsigned char *signature,
    size_t size,
    const char **reason
) {
    return signature_is_refused;
}

bool cipher_apply(
    bool is_encrypting,
    const unsigned char *key,
    const unsigned char *nonce,
    const void *associated,
    size_t associated_count,
    const void *data,
    size_t count,
    unsigned char *result,
    unsigned char *tag
) {
    return false;
}

#endif
