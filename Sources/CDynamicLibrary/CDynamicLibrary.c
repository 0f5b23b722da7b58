#define _GNU_SOURCE
#include "CDynamicLibrary.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

bool dynamic_library_open(dynamic_library *library, const char *function, const char *const *names) {
    // A library that the process has loaded or contains is used first, so that the process never has two of them.
    library->handle = RTLD_DEFAULT;
    if (dlsym(RTLD_DEFAULT, function)) return true;
    for (; *names; names++) {
        library->handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        if (library->handle) return true;
    }
    return false;
}

static bool set(const dynamic_function *function, void *address) {
    memcpy(function->target, &address, sizeof address);
    return address != NULL;
}

const char *dynamic_library_find(dynamic_library library, const dynamic_function *functions) {
    const char *missing = NULL;
    for (; functions->name; functions++) {
        if (!set(functions, dlsym(library.handle, functions->name)) && !missing) missing = functions->name;
    }
    return missing;
}

bool dynamic_library_load(const char *const *names, const dynamic_function *functions) {
    dynamic_library library;
    return dynamic_library_open(&library, functions[0].name, names) && !dynamic_library_find(library, functions);
}

static void *find_loaded(const char *const *names, const char *name) {
    void *function = dlsym(RTLD_DEFAULT, name);
    for (; *names && !function; names++) {
        void *library = dlopen(*names, RTLD_NOW | RTLD_NOLOAD);
        if (!library) continue;
        function = dlsym(library, name);
        // This only balances dlopen. The library stays loaded.
        dlclose(library);
    }
    return function;
}

const char *dynamic_library_find_loaded(const char *const *names, const dynamic_function *functions) {
    const char *missing = NULL;
    for (; functions->name; functions++) {
        if (!set(functions, find_loaded(names, functions->name)) && !missing) missing = functions->name;
    }
    return missing;
}

#endif
