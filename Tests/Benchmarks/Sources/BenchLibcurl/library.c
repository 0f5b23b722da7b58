#include "library.h"
#include "measuring.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct library curl;

void load_library(void) {
    // The variable that the engine reads.
    const char *name = getenv("LARKSPUR_LIBCURL");
    if (!name) name = "libcurl.so.4";
    void *library = dlopen(name, RTLD_NOW);
    if (!library) end(name, "cannot be loaded");
    const struct {
        const char *name;
        void *target;
    } functions[] = {
        {"curl_global_init", &curl.global_init},
        {"curl_easy_init", &curl.easy_init},
        {"curl_easy_cleanup", &curl.easy_cleanup},
        {"curl_easy_strerror", &curl.easy_strerror},
        {"curl_easy_setopt", &curl.easy_setopt},
        {"curl_easy_getinfo", &curl.easy_getinfo},
        {"curl_slist_append", &curl.slist_append},
        {"curl_multi_init", &curl.multi_init},
        {"curl_multi_cleanup", &curl.multi_cleanup},
        {"curl_multi_add_handle", &curl.multi_add_handle},
        {"curl_multi_remove_handle", &curl.multi_remove_handle},
        {"curl_multi_setopt", &curl.multi_setopt},
        {"curl_multi_perform", &curl.multi_perform},
        {"curl_multi_poll", &curl.multi_poll},
        {"curl_multi_info_read", &curl.multi_info_read},
        {"curl_multi_socket_action", &curl.multi_socket_action},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function) end(functions[i].name, "is not in libcurl");
        memcpy(functions[i].target, &function, sizeof function);
    }
    curl.global_init(3);
}
