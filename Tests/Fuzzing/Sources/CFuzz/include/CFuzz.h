/// The entry point of libFuzzer, and a target in C: the reader of netlink's messages, whose functions are static.

#ifndef CFUZZ_H
#define CFUZZ_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Runs libFuzzer with the options of a command line. Part of libFuzzer.
int LLVMFuzzerRunDriver(
    int *argument_count,
    char *_Nullable *_Nonnull *_Nonnull arguments,
    int (*test)(const uint8_t *_Nullable bytes, size_t count)
);

/// Reads links, addresses and routes from messages, as if the kernel had sent them.
///
/// @return The number of links, addresses and routes.
int fuzz_netlink(const uint8_t *_Nullable bytes, size_t count);

#pragma clang assume_nonnull end

#endif
