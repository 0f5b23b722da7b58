#include "OpenSSL.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <stddef.h>

const char *libcurl_find_openssl(const dynamic_function *functions) {
    // libcurl's own handle finds the OpenSSL that this libcurl uses, even if the process has another one.
    dynamic_library library;
    if (libcurl_own_library(&library)) return dynamic_library_find(library, functions);
    static const char *const names[] = {"libssl.so.3", "libcrypto.so.3", "libssl.so.1.1", "libcrypto.so.1.1", NULL};
    return dynamic_library_find_loaded(names, functions);
}

#endif
