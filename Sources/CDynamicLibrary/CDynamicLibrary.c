#define _GNU_SOURCE
#include "CDynamicLibrary.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

/// The functions of the program itself; NULL if it has announced none.
static const linked_function *linked;
/// The handle that represents these functions.
static char linked_handle;
/// The handle of the preferred library; NULL without one.
static void *_Atomic preferred;

void dynamic_library_link(const linked_function *functions) { linked = functions; }

static void *linked_address(const char *name) {
    for (const linked_function *function = linked; function && function->name; function++) {
        if (!strcmp(function->name, name)) return function->address;
    }
    return NULL;
}

static void *address_in(void *handle, const char *name) {
    return handle == &linked_handle ? linked_address(name) : dlsym(handle, name);
}

bool dynamic_library_is_linked(dynamic_library library) { return library.handle == &linked_handle; }

bool dynamic_library_is_static_program(void) {
    // A program without an interpreter has no dynamic linker. Its dlopen, if there is one, would load a second C
    // library.
    const ElfW(Phdr) *header = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    if (!header) return false;
    for (unsigned long count = getauxval(AT_PHNUM); count > 0; count--, header++) {
        if (header->p_type == PT_INTERP) return false;
    }
    return true;
}

void dynamic_library_prefer(dynamic_library library) { preferred = library.handle; }

bool dynamic_library_open(dynamic_library *library, const char *function, const char *const *names) {
    library->handle = &linked_handle;
    if (linked_address(function)) return true;
    if (dynamic_library_is_static_program()) return false;
    library->handle = preferred;
    if (library->handle && dlsym(library->handle, function)) return true;
    // A library that the process has loaded or contains is used first, so that the process never has two of them.
    library->handle = RTLD_DEFAULT;
    if (dlsym(RTLD_DEFAULT, function)) return true;
    for (; *names; names++) {
        library->handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        if (library->handle) return true;
    }
    return false;
}

bool dynamic_library_open_file(dynamic_library *library, const char *path, char *reason, size_t size) {
    if (dynamic_library_is_static_program()) {
        snprintf(reason, size, "a statically linked program loads no libraries");
        return false;
    }
    // A library that is already loaded is not changed.
    library->handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (library->handle) return true;
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
    snprintf(reason, size, "a program with a sanitizer cannot load it apart from other libraries");
    return false;
#endif
#endif
    int mode = RTLD_NOW | RTLD_LOCAL;
#ifdef RTLD_DEEPBIND
    // The library uses its own functions and those of its dependencies. Otherwise it would call the functions that the
    // process has loaded under the same names: those of another version.
    mode |= RTLD_DEEPBIND;
#endif
    library->handle = dlopen(path, mode);
    if (library->handle) return true;
    const char *error = dlerror();
    snprintf(reason, size, "%s", error ? error : "the reason is not known");
    return false;
}

const char *dynamic_library_path(const void *address) {
    Dl_info info;
    return !dynamic_library_is_static_program() && dladdr(address, &info) ? info.dli_fname : NULL;
}

static bool set(const dynamic_function *function, void *address) {
    memcpy(function->target, &address, sizeof address);
    return address != NULL;
}

const char *dynamic_library_find(dynamic_library library, const dynamic_function *functions) {
    const char *missing = NULL;
    for (; functions->name; functions++) {
        if (!set(functions, address_in(library.handle, functions->name)) && !missing) missing = functions->name;
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
