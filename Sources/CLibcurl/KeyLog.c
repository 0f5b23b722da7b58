#include "CLibcurl.h"
#include "OpenSSL.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

typedef void SSL;
typedef void SSL_CTX;
typedef void key_log_callback(const SSL *, const char *line);

enum { CRYPTO_EX_INDEX_SSL_CTX = 1 };

static struct {
    int (*get_ex_new_index)(int, long, void *, void *, void *, void *);
    SSL_CTX *(*SSL_get_SSL_CTX)(const SSL *);
    int (*SSL_CTX_set_ex_data)(SSL_CTX *, int, void *);
    void *(*SSL_CTX_get_ex_data)(const SSL_CTX *, int);
    void (*SSL_CTX_set_keylog_callback)(SSL_CTX *, key_log_callback *);
    key_log_callback *(*SSL_CTX_get_keylog_callback)(const SSL_CTX *);
} openssl;

static int log_index = -1;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    // These functions must not be called with the objects of another OpenSSL. So they must belong to the OpenSSL of
    // libcurl.
    if (libcurl_trust_unavailability()) return;
    const dynamic_function functions[] = {
        {"CRYPTO_get_ex_new_index", &openssl.get_ex_new_index},
        {"SSL_get_SSL_CTX", &openssl.SSL_get_SSL_CTX},
        {"SSL_CTX_set_ex_data", &openssl.SSL_CTX_set_ex_data},
        {"SSL_CTX_get_ex_data", &openssl.SSL_CTX_get_ex_data},
        {"SSL_CTX_set_keylog_callback", &openssl.SSL_CTX_set_keylog_callback},
        {"SSL_CTX_get_keylog_callback", &openssl.SSL_CTX_get_keylog_callback},
        {NULL, NULL},
    };
    if (libcurl_find_openssl(functions)) return;
    log_index = openssl.get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, NULL, NULL, NULL, NULL);
}

struct libcurl_key_log {
    int file;
    /// The callback with which libcurl itself logs secrets; NULL if SSLKEYLOGFILE is not set.
    key_log_callback *_Atomic next;
};

/// Appends a line with a single write, so that lines of several threads or processes are not mixed. An error is
/// ignored, because the connection does not depend on the log.
static void append(int file, const char *line) {
    struct iovec parts[] = {{(void *)line, strlen(line)}, {"\n", 1}};
    ssize_t result;
    do result = writev(file, parts, 2);
    while (result < 0 && errno == EINTR);
}

/// OpenSSL calls this function with each secret of a connection. The secret is a line without its end.
static void note(const SSL *session, const char *line) {
    libcurl_key_log *log = openssl.SSL_CTX_get_ex_data(openssl.SSL_get_SSL_CTX(session), log_index);
    if (!log) return;
    append(log->file, line);
    key_log_callback *next = log->next;
    if (next) next(session, line);
}

libcurl_key_log *libcurl_key_log_open(const char *path, char *reason, size_t size) {
    pthread_once(&once, load);
    const char *lack = libcurl_trust_unavailability();
    if (lack || log_index < 0) {
        snprintf(reason, size, "%s", lack ? lack : "this OpenSSL does not report secrets");
        return NULL;
    }
    // Without O_NONBLOCK, a pipe without a reader would block the caller.
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, S_IRUSR | S_IWUSR);
    struct stat status;
    libcurl_key_log *log = NULL;
    if (file < 0 || fstat(file, &status)) {
        snprintf(reason, size, "%s", errno == ELOOP ? "it is a symbolic link" : strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        snprintf(reason, size, "it is not a regular file");
    } else if (status.st_uid != geteuid() || status.st_nlink != 1) {
        // Another user may have created the file or a second name for it, in order to read the secrets.
        snprintf(reason, size, "it belongs to another user, or has several names");
    } else if (status.st_mode & (S_IRWXG | S_IRWXO)) {
        snprintf(reason, size, "others than its owner may open it (chmod 600 changes that)");
    } else {
        log = calloc(1, sizeof *log);
        if (log) log->file = file;
        else snprintf(reason, size, "there is no memory");
    }
    if (!log && file >= 0) close(file);
    return log;
}

bool libcurl_key_log_attach(libcurl_key_log *log, void *tls_context) {
    if (openssl.SSL_CTX_set_ex_data(tls_context, log_index, log) != 1) return false;
    key_log_callback *const next = openssl.SSL_CTX_get_keylog_callback(tls_context);
    if (next != note) log->next = next;
    openssl.SSL_CTX_set_keylog_callback(tls_context, note);
    return true;
}

void libcurl_key_log_close(libcurl_key_log *log) {
    close(log->file);
    free(log);
}

#endif
