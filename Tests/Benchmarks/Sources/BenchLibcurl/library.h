/// The functions of libcurl that this program calls, found at run time, so that it builds without libcurl's headers.

#ifndef LIBRARY_H
#define LIBRARY_H

typedef void CURL;
typedef void CURLM;
typedef struct curl_slist curl_slist;

enum {
    CURLOPT_WRITEDATA = 10001,
    CURLOPT_URL = 10002,
    CURLOPT_POSTFIELDS = 10015,
    CURLOPT_USERAGENT = 10018,
    CURLOPT_HTTPHEADER = 10023,
    CURLOPT_BUFFERSIZE = 98,
    CURLOPT_NOSIGNAL = 99,
    CURLOPT_CAPATH = 10097,
    CURLOPT_ACCEPT_ENCODING = 10102,
    CURLOPT_PRIVATE = 10103,
    CURLOPT_PIPEWAIT = 237,
    CURLOPT_WRITEFUNCTION = 20011,
    CURLINFO_RESPONSE_CODE = 2097154,
    CURLINFO_PRIVATE = 1048597,
    CURLMOPT_MAXCONNECTS = 6,
    CURLMOPT_MAX_HOST_CONNECTIONS = 7,
    CURLMOPT_SOCKETDATA = 10002,
    CURLMOPT_TIMERDATA = 10005,
    CURLMOPT_SOCKETFUNCTION = 20001,
    CURLMOPT_TIMERFUNCTION = 20004,
    CURL_POLL_IN = 1,
    CURL_POLL_OUT = 2,
    CURL_POLL_REMOVE = 4,
    CURL_CSELECT_IN = 1,
    CURL_CSELECT_OUT = 2,
    CURL_CSELECT_ERR = 4,
    CURL_SOCKET_TIMEOUT = -1,
    CURLMSG_DONE = 1,
};

typedef struct {
    int msg;
    CURL *easy;
    union {
        void *whatever;
        int result;
    } data;
} CURLMsg;

struct library {
    int (*global_init)(long flags);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *);
    const char *(*easy_strerror)(int);
    int (*easy_setopt)(CURL *, int, ...);
    int (*easy_getinfo)(CURL *, int, ...);
    curl_slist *(*slist_append)(curl_slist *, const char *);
    CURLM *(*multi_init)(void);
    int (*multi_cleanup)(CURLM *);
    int (*multi_add_handle)(CURLM *, CURL *);
    int (*multi_remove_handle)(CURLM *, CURL *);
    int (*multi_setopt)(CURLM *, int, ...);
    int (*multi_perform)(CURLM *, int *);
    int (*multi_poll)(CURLM *, void *, unsigned int, int, int *);
    CURLMsg *(*multi_info_read)(CURLM *, int *);
    int (*multi_socket_action)(CURLM *, int, int, int *);
};

extern struct library curl;

/// Loads the libcurl that LARKSPUR_LIBCURL names, or the system's; ends the process if it cannot.
void load_library(void);

#endif
