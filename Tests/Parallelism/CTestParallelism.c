#include "CTestParallelism.h"

#include <stdlib.h>

/// Sets the number of tests that run at a time, unless the environment has one.
///
/// Without it each test begins at once. Of more than two thousand tests each then takes minutes, longer than a request
/// waits for a byte, and together they come near the number of descriptors that a process may have. Eight keep two
/// processors as busy as 64 do. The library of the tests reads the variable (from Swift 6.3 on) before the first test.
__attribute__((constructor)) static void limit_parallelism(void) {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "8", 0);
}
