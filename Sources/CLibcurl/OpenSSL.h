/// Functions of the OpenSSL that libcurl uses.

#ifndef CLIBCURL_OPENSSL_H
#define CLIBCURL_OPENSSL_H

#include "CDynamicLibrary.h"
#include <stdbool.h>
#include <stddef.h>

/// Sets each function pointer to its function of libssl or libcrypto, or to NULL.
///
/// Only libcurl loads OpenSSL, so the libraries of OpenSSL may be invisible to the rest of the process. If libcurl was
/// chosen by its file, or is linked into the program, only its own OpenSSL is searched.
///
/// @return The name of the first function that is missing; NULL if there is none.
const char *libcurl_find_openssl(const dynamic_function *functions);

/// Prevents the OpenSSL of a libcurl from freeing its memory at the end of the process. Called before this libcurl is
/// initialized.
///
/// @param own The libcurl if only its own OpenSSL has to be searched; NULL for the OpenSSL of the process.
void openssl_prevent_cleanup(const dynamic_library *own);

/// Calls a function at the end of the process, before the TLS library of a libcurl frees memory that threads use.
/// Called after this libcurl was initialized. If the clean-up was prevented, the function is never called.
///
/// @param own The libcurl if only its own OpenSSL has to be searched; NULL for the OpenSSL of the process.
/// @param tls_library The name and version of the TLS library, as libcurl reports them; NULL for none.
void openssl_call_before_cleanup(
    const dynamic_library *own, const char *tls_library, void (*function)(void)
);

/// Whether functions that were found belong to the library that libcurl uses. Compares two texts with the version, such
/// as "OpenSSL/3.0.19" and "OpenSSL 3.0.19 27 Jan 2026".
///
/// @param tls_library The first text, as libcurl reports it.
/// @param found The second text, as the functions report it; NULL if it is not known.
bool openssl_is_library_of_libcurl(const char *tls_library, const char *found);

/// Whether libcurl has a separate handle, with which its dependencies are found too. Always sets the handle.
bool libcurl_own_library(dynamic_library *library);

/// Returns whether a transfer's connection uses TLS. Sets openssl_session to the SSL object, or to NULL without
/// OpenSSL.
bool libcurl_has_tls(void *easy, void **openssl_session);

#endif
