#include "OpenSSL.h"
#include "CLibcurl.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// Finds functions in the OpenSSL of the given libcurl, or in the OpenSSL of the process.
static const char *find(const dynamic_library *own, const dynamic_function *functions) {
    // The handle of the libcurl finds the OpenSSL that this libcurl uses, even if the process has another OpenSSL.
    if (own) return dynamic_library_find(*own, functions);
    // If a process has two versions, the other one may be found. `openssl_is_library_of_libcurl` tells them apart.
    static const char *const names[] = {
        "libssl.so.3", "libcrypto.so.3", "libssl.so.4", "libcrypto.so.4", "libssl.so.1.1", "libcrypto.so.1.1", NULL,
    };
    return dynamic_library_find_loaded(names, functions);
}

const char *libcurl_find_openssl(const dynamic_function *functions) {
    dynamic_library library;
    return find(libcurl_own_library(&library) ? &library : NULL, functions);
}

bool openssl_is_library_of_libcurl(const char *tls_library, const char *found) {
    static const char name[] = "OpenSSL";
    const size_t length = sizeof name - 1;
    if (!found || strncmp(tls_library, name, length) || tls_library[length] != '/') return false;
    if (strncmp(found, name, length) || found[length] != ' ') return false;
    const size_t number = strcspn(tls_library + length + 1, " ");
    return strncmp(tls_library + length + 1, found + length + 1, number) == 0
        && strchr(" ", found[length + 1 + number]);
}

// MARK: The end of the process

// By default, OpenSSL registers its clean-up with `atexit`. It then frees memory that the threads of sessions still
// use, and the process crashes. OpenSSL is configured only by the first code in the process that uses it.

enum { OPENSSL_INIT_NO_ATEXIT = 0x00080000, OPENSSL_VERSION = 0 };

void openssl_prevent_cleanup(const dynamic_library *own) {
    int (*init_crypto)(uint64_t, const void *);
    const dynamic_function functions[] = {{"OPENSSL_init_crypto", &init_crypto}, {NULL, NULL}};
    find(own, functions);
    if (init_crypto) init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

void libcurl_prevent_cleanup(void) { openssl_prevent_cleanup(NULL); }

void openssl_call_before_cleanup(const dynamic_library *own, const char *tls_library, void (*function)(void)) {
    if (!tls_library) return;
    const char *(*version)(int);
    int (*at_exit)(void (*)(void));
    const dynamic_function functions[] = {
        {"OpenSSL_version", &version}, {"OPENSSL_atexit", &at_exit}, {NULL, NULL},
    };
    find(own, functions);
    // OpenSSL calls the function in its clean-up. This clean-up is registered only if other code has used OpenSSL
    // first. OpenSSL 4 has neither `OPENSSL_atexit` nor, by default, a clean-up at the end of the process.
    const bool is_found = version && at_exit && openssl_is_library_of_libcurl(tls_library, version(OPENSSL_VERSION));
    if (is_found && at_exit(function)) return;
    // libcurl uses another TLS library, or OpenSSL is hidden in libcurl's file. The clean-up was registered earlier
    // than this function. So it runs later.
    atexit(function);
}

#endif
