/// Functions of shared libraries, found by name at run time. Neither headers nor link flags are needed.
///
/// A library that is in the process already is taken, else one is loaded by name. It stays loaded as long as the
/// process runs.

#ifndef CDYNAMICLIBRARY_H
#define CDYNAMICLIBRARY_H

#include <stdbool.h>

#pragma clang assume_nonnull begin

/// A function by its name, and the function pointer that is set to it. A list of them ends with one that has no name.
typedef struct {
    const char *_Nullable name;
    /// The address of the function pointer.
    void *_Nullable target;
} dynamic_function;

/// A library, or all that is in the process.
typedef struct {
    void *_Nullable handle;
} dynamic_library;

/// Finds a library: the process itself if it has a function, else the first library that can be loaded.
///
/// @param function The name of a function of the library.
/// @param names The names of the library, the preferred one first; the list ends with NULL.
/// @return Whether there is one.
bool dynamic_library_open(dynamic_library *library, const char *function, const char *_Nullable const *_Nonnull names);

/// Sets each function pointer to its function in the library, or to NULL.
///
/// @return The name of the first function that is missing; NULL if there is none.
const char *_Nullable dynamic_library_find(dynamic_library library, const dynamic_function *functions);

/// Finds a library by the first of the functions, and all of the functions in it.
///
/// @return Whether there is such a library, and it has them all.
bool dynamic_library_load(const char *_Nullable const *_Nonnull names, const dynamic_function *functions);

/// Sets each function pointer to its function in the process or in libraries that are loaded, or to NULL.
///
/// It loads nothing, but finds functions of libraries that the rest of the process does not see.
///
/// @param names The names of those libraries; the list ends with NULL.
/// @return The name of the first function that is missing; NULL if there is none.
const char *_Nullable dynamic_library_find_loaded(
    const char *_Nullable const *_Nonnull names, const dynamic_function *functions
);

#pragma clang assume_nonnull end

#endif
