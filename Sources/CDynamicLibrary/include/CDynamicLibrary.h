/// Functions of shared libraries, found by name at run time. Neither headers nor link flags are needed.
///
/// If a library is already loaded in the process, it is used. Otherwise it is loaded by name, and stays loaded as long
/// as the process runs.

#ifndef CDYNAMICLIBRARY_H
#define CDYNAMICLIBRARY_H

#include <stdbool.h>

#pragma clang assume_nonnull begin

/// The name of a function, and the function pointer that is set to its address. A list of these values ends with an
/// entry without a name.
typedef struct {
    const char *_Nullable name;
    /// The address of the function pointer.
    void *_Nullable target;
} dynamic_function;

/// A library, or all libraries that the whole process can use.
typedef struct {
    void *_Nullable handle;
} dynamic_library;

/// Finds a library. If the process already has the function, that is the process itself; otherwise the first library
/// that can be loaded.
///
/// @param function The name of a function of the library.
/// @param names The names of the library, the preferred one first; the list ends with NULL.
/// @return Whether a library was found.
bool dynamic_library_open(dynamic_library *library, const char *function, const char *_Nullable const *_Nonnull names);

/// Sets each function pointer to its function in the library, or to NULL.
///
/// @return The name of the first function that is missing; NULL if there is none.
const char *_Nullable dynamic_library_find(dynamic_library library, const dynamic_function *functions);

/// Finds a library by its first function in the list, and then all functions of the list in this library.
///
/// @return Whether the library was found and has all functions.
bool dynamic_library_load(const char *_Nullable const *_Nonnull names, const dynamic_function *functions);

/// Sets each function pointer to its function in the process or in libraries that are loaded, or to NULL.
///
/// No library is loaded. But functions are also found in loaded libraries that are not visible to the rest of the
/// process.
///
/// @param names The names of the libraries to search; the list ends with NULL.
/// @return The name of the first function that is missing; NULL if there is none.
const char *_Nullable dynamic_library_find_loaded(
    const char *_Nullable const *_Nonnull names, const dynamic_function *functions
);

#pragma clang assume_nonnull end

#endif
