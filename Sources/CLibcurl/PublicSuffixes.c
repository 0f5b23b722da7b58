#define _GNU_SOURCE
#include "CLibcurl.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

typedef struct psl_ctx psl_ctx;

static const char *(*registrable_domain)(const psl_ctx *, const char *);
static const psl_ctx *list;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    // What the process has loaded already, with libcurl or statically.
    void *library = RTLD_DEFAULT;
    if (!dlsym(library, "psl_builtin")) library = dlopen("libpsl.so.5", RTLD_NOW | RTLD_LOCAL);
    psl_ctx *(*latest)(const char *) = (psl_ctx * (*)(const char *)) dlsym(library, "psl_latest");
    const psl_ctx *(*builtin)(void) = (const psl_ctx *(*)(void))dlsym(library, "psl_builtin");
    registrable_domain = (const char *(*)(const psl_ctx *, const char *))dlsym(library, "psl_registrable_domain");
    if (!registrable_domain) return;
    // The newer one of the system's file and the list that was compiled in; kept as long as the process runs.
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
