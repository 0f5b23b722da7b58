/// Functions of the OpenSSL that libcurl uses.

#ifndef CLIBCURL_OPENSSL_H
#define CLIBCURL_OPENSSL_H

#include <stdbool.h>

/// A function of libssl or libcrypto by its name, NULL if there is none; the libraries need not be visible to the whole process.
void *libcurl_openssl_function(const char *name);

/// Whether a transfer's connection has TLS, and the SSL object if it is OpenSSL's.
bool libcurl_has_tls(void *easy, void **openssl_session);

#endif
