/// Functions of the OpenSSL that libcurl uses.

#ifndef CLIBCURL_OPENSSL_H
#define CLIBCURL_OPENSSL_H

#include "CDynamicLibrary.h"
#include <stdbool.h>

/// Sets each function pointer to its function of libssl or libcrypto, or to NULL.
///
/// Only libcurl loads OpenSSL. The libraries of OpenSSL need not be visible to the whole process. If libcurl was chosen
/// by its file, or is linked into the program, only its own OpenSSL is searched.
///
/// @return The name of the first function that is missing; NULL if there is none.
const char *libcurl_find_openssl(const dynamic_function *functions);

/// Whether libcurl has a handle of its own, by which its dependencies are found too. The handle is set in any case.
bool libcurl_own_library(dynamic_library *library);

/// Returns whether a transfer's connection has TLS. openssl_session is set to the SSL object, or to NULL without
/// OpenSSL.
bool libcurl_has_tls(void *easy, void **openssl_session);

#endif
