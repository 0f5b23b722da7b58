#include "OpenSSL.h"
#include "CLibcurl.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// Finds functions in the libcurl whose own OpenSSL is searched, or in the OpenSSL of the process.
static const char *find(const dynamic_library *own, const dynamic_function *functions) {
    // libcurl's own handle finds the OpenSSL that this libcurl uses, even if the process has another one.
    if (own) return dynamic_library_find(*own, functions);
    static const char *const names[] = {"libssl.so.3", "libcrypto.so.3", "libssl.so.1.1", "libcrypto.so.1.1", NULL};
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

// By default, OpenSSL registers its clean-up with `atexit`. The clean-up frees data that the threads of sessions still
// use, and the process ends with a crash. OpenSSL applies only the options of its first caller in the process.

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
    // OpenSSL calls the function during its clean-up. There is a clean-up only if other code has begun to use OpenSSL
    // first.
    const bool is_found = version && at_exit && openssl_is_library_of_libcurl(tls_library, version(OPENSSL_VERSION));
    if (is_found && at_exit(function)) return;
    // The TLS library is another one, or is hidden within libcurl's file. Its clean-up was registered earlier, and runs
    // later.
    atexit(function);
}

#endif
