#include "CLibcurl.h"
#include "CDynamicLibrary.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <pthread.h>
#include <stddef.h>

typedef struct psl_ctx psl_ctx;

static const char *(*registrable_domain)(const psl_ctx *, const char *);
static const psl_ctx *list;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    const psl_ctx *(*builtin)(void);
    psl_ctx *(*latest)(const char *);
    static const char *const names[] = {"libpsl.so.5", NULL};
    const dynamic_function functions[] = {
        {"psl_builtin", &builtin},
        {"psl_latest", &latest},
        {"psl_registrable_domain", &registrable_domain},
        {NULL, NULL},
    };
    dynamic_library library;
    if (!dynamic_library_open(&library, "psl_builtin", names)) return;
    dynamic_library_find(library, functions);
    if (!registrable_domain) return;
    // The list is the system's file, or the list that was compiled into the library if it is newer. It is never freed.
    if (latest) list = latest(NULL);
    if (!list && builtin) list = builtin();
}

bool libpsl_is_available(void) {
    pthread_once(&once, load);
    return list != NULL;
}

int libpsl_registrable_domain(const char *name) {
    if (!libpsl_is_available()) return -1;
    const char *domain = registrable_domain(list, name);
    return domain ? (int)(domain - name) : -1;
}
#else
bool libpsl_is_available(void) { return false; }
int libpsl_registrable_domain(const char *name) { return -1; }
#endif
