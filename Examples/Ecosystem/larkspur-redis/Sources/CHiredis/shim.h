#if __has_include(<hiredis/hiredis.h>)
#include <hiredis/hiredis.h>
#elif __has_include(<hiredis.h>)
#include <hiredis.h>
#else
#error "hiredis is missing. Install it, on Debian by: apt-get install libhiredis-dev"
#endif
