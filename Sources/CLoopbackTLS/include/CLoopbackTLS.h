/// The server's side of TLS for tests. It uses the OpenSSL that is found at run time. It does no I/O: all bytes are
/// read from memory and written to memory.

#ifndef CLOOPBACKTLS_H
#define CLOOPBACKTLS_H

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// A certificate with its key.
typedef struct loopback_tls_identity loopback_tls_identity;

/// The TLS of one connection. One thread at a time may use it.
typedef struct loopback_tls_connection loopback_tls_connection;

/// @return The reason why TLS cannot be used; NULL if it can be used.
const char *_Nullable loopback_tls_unavailability(void);

/// Creates a key (P-256) and a certificate that is signed with this key.
///
/// @param names The subjectAltName in OpenSSL's notation, such as "DNS:localhost,IP:127.0.0.1".
/// @param valid_from The beginning of the validity in seconds from now, which may be negative.
/// @param valid_until The end of the validity in seconds from now.
/// @return The identity. If OpenSSL reports an error, NULL, and `message` has the reason.
loopback_tls_identity *_Nullable loopback_tls_identity_make(
    const char *names, long valid_from, long valid_until, char *message, size_t size
);

/// Reads a certificate and its key in PEM.
///
/// @return The identity. If the data cannot be read, or do not belong together, NULL, and `message` has the reason.
loopback_tls_identity *_Nullable loopback_tls_identity_read(
    const void *certificate, size_t certificate_count, const void *key, size_t key_count, char *message, size_t size
);

/// @param der Set to the certificate in DER. The identity owns the bytes.
/// @return The number of bytes.
size_t loopback_tls_identity_certificate(const loopback_tls_identity *identity, const unsigned char *_Nullable *_Nonnull der);

/// May be called while existing connections still use the identity.
void loopback_tls_identity_free(loopback_tls_identity *identity);

/// @return The connection; NULL if there is no memory.
loopback_tls_connection *_Nullable loopback_tls_connection_make(loopback_tls_identity *identity);

void loopback_tls_connection_free(loopback_tls_connection *connection);

/// Adds bytes that have arrived from the client.
bool loopback_tls_feed(loopback_tls_connection *connection, const void *bytes, size_t count);

/// Fills a buffer with bytes for the client.
///
/// @return The number of bytes; 0 if there are no bytes for the client.
size_t loopback_tls_drain(loopback_tls_connection *connection, void *buffer, size_t size);

enum {
    /// More bytes of the client are needed.
    LOOPBACK_TLS_NEEDS_INPUT = 0,
    /// The client has ended its side with close_notify.
    LOOPBACK_TLS_END = -1,
    /// The connection has failed.
    LOOPBACK_TLS_FAILURE = -2,
};

/// Reads and decrypts the client's bytes. The first calls perform the handshake.
///
/// @return The number of bytes, or one of the values above.
long loopback_tls_read(loopback_tls_connection *connection, void *buffer, size_t size);

/// Encrypts bytes for the client, all of them.
///
/// @return Whether that was possible. It is possible only after the handshake.
bool loopback_tls_write(loopback_tls_connection *connection, const void *bytes, size_t count);

/// Sends close_notify to the client, if the handshake is finished.
void loopback_tls_close(loopback_tls_connection *connection);

/// Writes the reason of the last failure of a connection.
void loopback_tls_failure(const loopback_tls_connection *connection, char *message, size_t size);

/// Returns the version of TLS, such as "TLSv1.3".
const char *_Nullable loopback_tls_version(const loopback_tls_connection *connection);

#pragma clang assume_nonnull end

#endif
