/// Signatures with key pairs, and encryption. They use the OpenSSL that is found at run time. The functions may be
/// called on any thread, and a key may be used by several threads at a time.

#ifndef CSIGNATURES_H
#define CSIGNATURES_H

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// A private key or a public key.
typedef struct signature_key signature_key;

typedef enum {
    signature_key_usable,
    /// The text has no such key, or there is no memory for it.
    signature_key_malformed,
    /// The key is encrypted, and it cannot be decrypted with the password.
    signature_key_encrypted,
} signature_key_status;

typedef enum {
    signature_rsa_pkcs1,
    /// The salt is as long as the digest.
    signature_rsa_pss,
    /// Signatures are in DER.
    signature_ecdsa,
    /// Has no digest.
    signature_ed25519,
} signature_scheme;

typedef enum { signature_no_digest, signature_sha256, signature_sha384, signature_sha512 } signature_digest;

/// @return The reason why signatures and encryption are not available; NULL if they are. The other functions may only
/// be called if they are available.
const char *_Nullable signatures_unavailability(void);

/// Reads a private key in PEM.
///
/// @param password The password of an encrypted key. Without one, its length is 0.
/// @param status Set to the result.
/// @return The key; NULL unless the status is `signature_key_usable`.
signature_key *_Nullable signature_key_read_private(
    const unsigned char *pem,
    size_t count,
    const unsigned char *_Nullable password,
    size_t password_count,
    signature_key_status *status
);

/// Reads a public key in PEM ("PUBLIC KEY").
///
/// @return The key; NULL if the text has none, or if there is no memory for it.
signature_key *_Nullable signature_key_read_public(const unsigned char *pem, size_t count);

/// @param der Set to the public key as a SubjectPublicKeyInfo in DER (RFC 5280, section 4.1). The key owns the bytes.
/// @return The number of bytes.
size_t signature_key_public(const signature_key *key, const unsigned char *_Nullable *_Nonnull der);

void signature_key_free(signature_key *key);

/// Signs data with a private key.
///
/// @param signature The buffer for the signature.
/// @param size The size of this buffer.
/// @param reason Set to OpenSSL's reason of a failure; NULL if it gives none. The text is never freed.
/// @return The length of the signature; 0 if OpenSSL does not sign.
size_t signature_make(
    const signature_key *key,
    signature_scheme scheme,
    signature_digest digest,
    const void *_Nullable data,
    size_t count,
    unsigned char *signature,
    size_t size,
    const char *_Nullable *_Nonnull reason
);

typedef enum { signature_is_valid, signature_is_invalid, signature_is_refused } signature_validity;

/// Verifies a signature with the public key.
///
/// @param reason Set to OpenSSL's reason if the scheme does not fit the key; NULL if it gives none.
signature_validity signature_verify(
    const signature_key *key,
    signature_scheme scheme,
    signature_digest digest,
    const void *_Nullable data,
    size_t count,
    const unsigned char *_Nullable signature,
    size_t size,
    const char *_Nullable *_Nonnull reason
);

enum { cipher_key_size = 32, cipher_nonce_size = 12, cipher_tag_size = 16 };

/// Encrypts or decrypts data with AES-256-GCM.
///
/// @param key The key, which has `cipher_key_size` bytes.
/// @param nonce The nonce, which has `cipher_nonce_size` bytes. No two encryptions with a key have the same nonce.
/// @param associated Data that are not encrypted, but have to be the same for the decryption.
/// @param result The buffer for `count` bytes. They must not be used if the function returns false.
/// @param tag A buffer of `cipher_tag_size` bytes: the tag of a decryption, or the place for that of an encryption.
/// @return Whether OpenSSL has encrypted the data, or whether all that is decrypted belongs together with the key.
bool cipher_apply(
    bool is_encrypting,
    const unsigned char *key,
    const unsigned char *nonce,
    const void *_Nullable associated,
    size_t associated_count,
    const void *_Nullable data,
    size_t count,
    unsigned char *_Nullable result,
    unsigned char *tag
);

#pragma clang assume_nonnull end

#endif
