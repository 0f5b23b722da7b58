/// Functions of shared libraries, found by name at run time. Neither headers nor link flags are needed.
///
/// A function is looked for in this order: among the functions that the program announces as linked into it, in the
/// preferred library and its dependencies, in the process, and in a library that is loaded by name. A loaded library
/// stays loaded as long as the process runs. A statically linked program loads no library.

#ifndef CDYNAMICLIBRARY_H
#define CDYNAMICLIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// The name of a function, and the function pointer that is set to its address. A list of these values ends with an
/// entry without a name.
typedef struct {
    const char *_Nullable name;
    /// The address of the function pointer.
    void *_Nullable target;
} dynamic_function;

/// A function that is linked into the program, and its name. A list of these values ends with an entry without a name.
typedef struct {
    const char *_Nullable name;
    /// NULL if the program does not have the function.
    void *_Nullable address;
} linked_function;

/// A library, all libraries that the whole process can use, or the functions that are linked into the program.
typedef struct {
    void *_Nullable handle;
} dynamic_library;

/// Announces functions that are linked into the program. Called before main, and only once. The list is not copied.
void dynamic_library_link(const linked_function *functions);

/// Whether a library value represents the functions that are linked into the program.
bool dynamic_library_is_linked(dynamic_library library);

/// Whether the program is linked statically as a whole, with the C library.
bool dynamic_library_is_static_program(void);

/// Makes the functions of a library and its dependencies precede those of the process in later searches.
void dynamic_library_prefer(dynamic_library library);

/// Finds a library: the functions linked into the program, the preferred library or the process if they have the
/// function; otherwise the first library that can be loaded.
///
/// @param function The name of a function of the library.
/// @param names The names of the library, the preferred one first; the list ends with NULL.
/// @return Whether a library was found.
bool dynamic_library_open(dynamic_library *library, const char *function, const char *_Nullable const *_Nonnull names);

/// Loads the library in a file. It uses its own functions and those of its dependencies, even if the process has loaded
/// other functions with the same names. If the process has already loaded the file, nothing changes.
///
/// @param path A path with a slash.
/// @param reason Set to the reason if the library cannot be loaded.
/// @param size The size of the buffer for the reason in bytes.
/// @return Whether the library is loaded.
bool dynamic_library_open_file(dynamic_library *library, const char *path, char *reason, size_t size);

/// The path of the loaded library that has a function; NULL if it is not known. The path is never freed.
const char *_Nullable dynamic_library_path(const void *address);

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
