#define _GNU_SOURCE
#include "OpenSSL.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <dlfcn.h>
#include <stddef.h>

void *libcurl_openssl_function(const char *name) {
    void *function = dlsym(RTLD_DEFAULT, name);
    if (function) return function;
    static const char *const names[] = {"libssl.so.3", "libcrypto.so.3", "libssl.so.1.1", "libcrypto.so.1.1"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !function; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_NOLOAD);
        if (!library) continue;
        function = dlsym(library, name);
        dlclose(library);
    }
    return function;
}

#endif
