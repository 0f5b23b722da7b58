/// The functions of libcurl that Larkspur calls. They are found at run time.
///
/// Every process that uses FoundationNetworking has already loaded libcurl. In other processes, libcurl is loaded by
/// its name. Neither headers nor link flags are needed. The constants below belong to libcurl's stable ABI, and have
/// the names from its manual.

#ifndef CLIBCURL_H
#define CLIBCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: Options of a transfer (curl_easy_setopt)

#define CURLOPT_WRITEDATA 10001
#define CURLOPT_URL 10002
#define CURLOPT_PROXY 10004
#define CURLOPT_READDATA 10009
#define CURLOPT_ERRORBUFFER 10010
#define CURLOPT_WRITEFUNCTION 20011
#define CURLOPT_READFUNCTION 20012
#define CURLOPT_HTTPHEADER 10023
#define CURLOPT_KEYPASSWD 10026
#define CURLOPT_HEADERDATA 10029
#define CURLOPT_SSLVERSION 32
#define CURLOPT_CUSTOMREQUEST 10036
#define CURLOPT_VERBOSE 41
#define CURLOPT_NOPROGRESS 43
#define CURLOPT_NOBODY 44
#define CURLOPT_UPLOAD 46
#define CURLOPT_POST 47
#define CURLOPT_INTERFACE 10062
#define CURLOPT_SSL_VERIFYPEER 64
#define CURLOPT_CAINFO 10065
#define CURLOPT_FRESH_CONNECT 74
#define CURLOPT_FORBID_REUSE 75
#define CURLOPT_HEADERFUNCTION 20079
#define CURLOPT_HTTPGET 80
#define CURLOPT_SSL_VERIFYHOST 81
#define CURLOPT_HTTP_VERSION 84
#define CURLOPT_SSLCERTTYPE 10086
#define CURLOPT_DEBUGFUNCTION 20094
#define CURLOPT_DEBUGDATA 10095
#define CURLOPT_CAPATH 10097
#define CURLOPT_DNS_CACHE_TIMEOUT 92
#define CURLOPT_BUFFERSIZE 98
#define CURLOPT_NOSIGNAL 99
#define CURLOPT_SHARE 10100
#define CURLOPT_PRIVATE 10103
#define CURLOPT_HTTPAUTH 107
#define CURLOPT_SSL_CTX_FUNCTION 20108
#define CURLOPT_SSL_CTX_DATA 10109
#define CURLOPT_HTTPPROXYTUNNEL 61
#define CURLOPT_PROXYAUTH 111
#define CURLOPT_INFILESIZE_LARGE 30115
#define CURLOPT_POSTFIELDSIZE_LARGE 30120
#define CURLOPT_CONNECT_ONLY 141
#define CURLOPT_SSL_SESSIONID_CACHE 150
#define CURLOPT_CA_CACHE_TIMEOUT 321
#define CURLOPT_IPRESOLVE 113
#define CURLOPT_CONNECTTIMEOUT_MS 156
#define CURLOPT_SOCKOPTFUNCTION 20148
#define CURLOPT_SOCKOPTDATA 10149
#define CURLOPT_HTTP_TRANSFER_DECODING 157
#define CURLOPT_COPYPOSTFIELDS 10165
#define CURLOPT_OPENSOCKETFUNCTION 20163
#define CURLOPT_OPENSOCKETDATA 10164
#define CURLOPT_SEEKFUNCTION 20167
#define CURLOPT_SEEKDATA 10168
#define CURLOPT_USERNAME 10173
#define CURLOPT_PASSWORD 10174
#define CURLOPT_PROXYUSERNAME 10175
#define CURLOPT_PROXYPASSWORD 10176
#define CURLOPT_NOPROXY 10177
#define CURLOPT_PROTOCOLS 181
#define CURLOPT_RESOLVE 10203
#define CURLOPT_CLOSESOCKETFUNCTION 20208
#define CURLOPT_CLOSESOCKETDATA 10209
#define CURLOPT_DNS_SERVERS 10211
#define CURLOPT_TCP_KEEPALIVE 213
#define CURLOPT_PROXYHEADER 10228
#define CURLOPT_PINNEDPUBLICKEY 10230
#define CURLOPT_UNIX_SOCKET_PATH 10231
#define CURLOPT_PATH_AS_IS 234
#define CURLOPT_PIPEWAIT 237
#define CURLOPT_EXPECT_100_TIMEOUT_MS 227
#define CURLOPT_STREAM_WEIGHT 239
#define CURLOPT_KEEP_SENDING_ON_ERROR 245
#define CURLOPT_PROXY_CAINFO 10246
#define CURLOPT_PROXY_CAPATH 10247
#define CURLOPT_PROXY_SSLVERSION 250
#define CURLOPT_SUPPRESS_CONNECT_HEADERS 265
#define CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS 271
#define CURLOPT_UPLOAD_BUFFERSIZE 280
#define CURLOPT_DOH_URL 10279
#define CURLOPT_CURLU 10282
#define CURLOPT_TRAILERFUNCTION 20283
#define CURLOPT_TRAILERDATA 10284
#define CURLOPT_HTTP09_ALLOWED 285
#define CURLOPT_MAXAGE_CONN 288
#define CURLOPT_SSLCERT_BLOB 40291
#define CURLOPT_SSLKEY_BLOB 40292
#define CURLOPT_CAINFO_BLOB 40309
#define CURLOPT_PROXY_CAINFO_BLOB 40310
#define CURLOPT_PREREQFUNCTION 20312
#define CURLOPT_PREREQDATA 10313
#define CURLOPT_MAXLIFETIME_CONN 314
#define CURLOPT_QUICK_EXIT 322

// MARK: Values of options

#define CURL_HTTP_VERSION_1_1 2
#define CURL_HTTP_VERSION_2TLS 4
#define CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE 5
#define CURL_HTTP_VERSION_3 30
#define CURLPROTO_HTTP 1
#define CURLPROTO_HTTPS 2
#define CURLAUTH_BASIC 1
#define CURLAUTH_NEGOTIATE 4
#define CURLAUTH_NTLM 8
#define CURL_SSLVERSION_TLSv1_2 6
#define CURL_SSLVERSION_TLSv1_3 7
#define CURL_WRITEFUNC_PAUSE 0x10000001
#define CURL_READFUNC_ABORT 0x10000000
#define CURL_READFUNC_PAUSE 0x10000001
#define CURL_PREREQFUNC_OK 0
#define CURL_PREREQFUNC_ABORT 1
#define CURL_TRAILERFUNC_OK 0
#define CURL_TRAILERFUNC_ABORT 1
#define CURL_SOCKOPT_OK 0
#define CURL_SOCKOPT_ALREADY_CONNECTED 2
#define CURL_SEEKFUNC_OK 0
#define CURL_SEEKFUNC_FAIL 1
#define CURL_ERROR_SIZE 256
#define CURLE_READ_ERROR 26
#define CURLE_OUT_OF_MEMORY 27
#define CURLE_SEND_FAIL_REWIND 65
#define CURLE_OK 0
#define CURLE_OPERATION_TIMEDOUT 28
#define CURLE_HTTP2 16
#define CURLE_HTTP2_STREAM 92
#define CURLE_HTTP3 95
#define CURLE_PARTIAL_FILE 18
#define CURLE_GOT_NOTHING 52
#define CURLE_WRITE_ERROR 23
#define CURLE_SEND_ERROR 55
#define CURLE_RECV_ERROR 56
#define CURLE_SSL_CONNECT_ERROR 35
#define CURLE_AGAIN 81
#define CURLPAUSE_RECV 1
#define CURLPAUSE_SEND 4
#define CURLINFO_TEXT 0
#define CURLINFO_HEADER_IN 1

// MARK: Options of a multi handle (curl_multi_setopt)

#define CURLMOPT_SOCKETDATA 10002
#define CURLMOPT_SOCKETFUNCTION 20001
#define CURLMOPT_TIMERDATA 10005
#define CURLMOPT_TIMERFUNCTION 20004
#define CURLMOPT_PIPELINING 3
#define CURLMOPT_MAXCONNECTS 6
#define CURLMOPT_MAX_HOST_CONNECTIONS 7
#define CURLMOPT_MAX_TOTAL_CONNECTIONS 13
#define CURLPIPE_MULTIPLEX 2
#define CURL_POLL_IN 1
#define CURL_POLL_OUT 2
#define CURL_POLL_REMOVE 4
#define CURL_CSELECT_IN 1
#define CURL_CSELECT_OUT 2
#define CURL_CSELECT_ERR 4
#define CURL_SOCKET_TIMEOUT -1
#define CURL_LOCK_DATA_DNS 3
#define CURL_LOCK_DATA_SSL_SESSION 4

// MARK: Results of a transfer (curl_easy_getinfo)

#define CURLINFO_PRIVATE 1048597
#define CURLINFO_PRIMARY_IP 1048608
#define CURLINFO_LOCAL_IP 1048617
#define CURLINFO_CAINFO 1048637
#define CURLINFO_CAPATH 1048638
#define CURLINFO_HEADER_SIZE 2097163
#define CURLINFO_REQUEST_SIZE 2097164
#define CURLINFO_SSL_VERIFYRESULT 2097165
#define CURLINFO_PROXY_SSL_VERIFYRESULT 2097199
#define CURLINFO_HTTP_CONNECTCODE 2097174
#define CURLINFO_OS_ERRNO 2097177
#define CURLINFO_NUM_CONNECTS 2097178
#define CURLINFO_PRIMARY_PORT 2097192
#define CURLINFO_LOCAL_PORT 2097194
#define CURLINFO_HTTP_VERSION 2097198
#define CURLINFO_TLS_SSL_PTR 4194349
#define CURLINFO_ACTIVESOCKET 5242924
#define CURLINFO_SIZE_UPLOAD_T 6291463
#define CURLINFO_SIZE_DOWNLOAD_T 6291464
#define CURLINFO_TOTAL_TIME_T 6291506
#define CURLINFO_NAMELOOKUP_TIME_T 6291507
#define CURLINFO_CONNECT_TIME_T 6291508
#define CURLINFO_PRETRANSFER_TIME_T 6291509
#define CURLINFO_STARTTRANSFER_TIME_T 6291510
#define CURLINFO_APPCONNECT_TIME_T 6291512
#define CURLINFO_CONN_ID 6291520

// MARK: Loading

/// Finds libcurl once. If the environment variable LARKSPUR_LIBCURL is set, only the file that it specifies is tried.
/// Otherwise, libcurl is the library that is linked into the program or that the process has loaded. If there is none,
/// `libcurl.so.4` and the names of some distributions are tried.
///
/// @return NULL if libcurl can be used; otherwise the reason as a sentence, which is never freed.
const char *_Nullable libcurl_unavailability(void);

enum libcurl_choice {
    /// The libcurl in the file is used now, or was already in use.
    LIBCURL_CHOSEN,
    /// The file cannot be loaded or used. No libcurl was chosen.
    LIBCURL_UNUSABLE,
    /// The process already uses another libcurl, or has already found that there is none.
    LIBCURL_OTHER_IN_USE,
};

/// Uses the libcurl in a file, unless another libcurl was found before. Call this before any other function of this
/// header.
///
/// @param path A path with a slash.
/// @param reason Set to the reason as a sentence, unless the result is LIBCURL_CHOSEN.
/// @param size The size of the buffer for the reason in bytes.
enum libcurl_choice libcurl_choose(const char *path, char *reason, size_t size);

/// Prevents the OpenSSL of the process from freeing memory at the end of the process that threads still use.
///
/// Only the first code that uses OpenSSL in a process can do this. So call this function before any other code uses
/// OpenSSL. FoundationNetworking uses it when the first URLSession is created. For the engine's own libcurl, no call is
/// needed. The function does not choose a libcurl.
void libcurl_prevent_cleanup(void);

/// Sets the function that is called at the end of the process, before the TLS library of libcurl frees memory that
/// threads use.
///
/// The function is called only if the TLS library frees its memory. This is so in three cases: other code has used
/// OpenSSL earlier, libcurl uses another library, or libcurl has its OpenSSL in its own file.
void libcurl_call_before_cleanup(void (*handler)(void));

/// Whether the program or the environment has specified the file of libcurl.
bool libcurl_is_named(void);

/// The path of libcurl's file; NULL if there is no libcurl, or if it is linked into the program. It is never freed.
const char *_Nullable libcurl_path(void);

/// libcurl and the libraries that it uses, with their versions, as `curl_version` lists them; NULL if there is no
/// libcurl.
const char *_Nullable libcurl_description(void);

/// The file and the folder of certificate authorities with which libcurl was built. NULL if there is none, or if
/// libcurl is older than 7.70.
const char *_Nullable libcurl_authorities_file(void);
const char *_Nullable libcurl_authorities_folder(void);

/// The version of libcurl, such as "7.88.1"; NULL if there is no libcurl.
const char *_Nullable libcurl_version(void);

/// The version as a number 0xMMmmpp; 0 if there is no libcurl.
unsigned int libcurl_version_number(void);

#define CURL_VERSION_NTLM (1 << 4)
#define CURL_VERSION_SPNEGO (1 << 8)
#define CURL_VERSION_HTTP2 (1 << 16)
#define CURL_VERSION_HTTP3 (1 << 25)

/// The features with which libcurl was built, a set of CURL_VERSION_ bits; 0 if there is no libcurl.
int libcurl_features(void);
/// The TLS library of libcurl, such as "OpenSSL/3.0.19"; NULL if there is none.
const char *_Nullable libcurl_tls_library(void);

/// Turns on the reports of incoming HTTP/2 frames and of the events of HTTP/3 streams. Transfers with CURLOPT_VERBOSE
/// then report them as text. The setting applies to the whole process, is made only once, and needs libcurl 8.3.0.
///
/// @return Whether the reports are turned on.
bool libcurl_trace_streams(void);

// MARK: Transfers

typedef void CURL;
typedef void CURLM;
typedef void CURLSH;
typedef void CURLU;
typedef struct curl_slist curl_slist;

typedef size_t (*libcurl_data_callback)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);
typedef int (*libcurl_seek_callback)(void *_Nullable context, int64_t offset, int origin);
/// The constants for `kind` are CURLINFO_TEXT and CURLINFO_HEADER_IN.
typedef int (*libcurl_debug_callback)(
    void *easy, int kind, char *_Nullable bytes, size_t size, void *_Nullable context);
typedef int (*libcurl_tls_callback)(CURL *easy, void *_Nullable tls_context, void *_Nullable context);

/// The beginning of curl_sockaddr: the parameters of socket(2), and the length of the address in bytes. The address
/// itself follows.
typedef struct {
    int family;
    int type;
    int protocol;
    unsigned int address_length;
} libcurl_socket_type;

/// Returns the socket, or −1.
typedef int (*libcurl_open_callback)(void *_Nullable context, int purpose, libcurl_socket_type *type);
typedef int (*libcurl_close_callback)(void *_Nullable context, int socket);
/// Called with a new socket before libcurl connects it. Returns one of the CURL_SOCKOPT_ constants.
typedef int (*libcurl_socket_options_callback)(void *_Nullable context, int socket, int purpose);
/// Called each time that a request with a connection is about to be sent.
typedef int (*libcurl_sending_callback)(
    void *_Nullable context, const char *_Nullable remote, const char *_Nullable local, int remote_port, int local_port);

/// Called after the last chunk of a request's content. Appends the lines of the trailer section to the list. libcurl
/// frees the list.
typedef int (*libcurl_trailer_callback)(curl_slist *_Nullable *_Nonnull lines, void *_Nullable context);

/// Called when the conditions change for which libcurl waits on a socket. `conditions` is one of the CURL_POLL_
/// constants.
typedef int (*libcurl_socket_callback)(
    CURL *easy, int socket, int conditions, void *_Nullable context, void *_Nullable socket_context);
/// Called when the time changes at which CURL_SOCKET_TIMEOUT is due. `milliseconds` is the time from now; -1 if it is
/// not due.
typedef int (*libcurl_timer_callback)(CURLM *multi, long milliseconds, void *_Nullable context);

/// A message of curl_multi_info_read. Its kind is always CURLMSG_DONE.
typedef struct {
    CURL *_Nullable easy;
    int result;
} libcurl_message;

CURL *_Nullable libcurl_easy_init(void);
void libcurl_easy_cleanup(CURL *easy);
void libcurl_easy_reset(CURL *easy);
int libcurl_easy_pause(CURL *easy, int bitmask);
/// Sends or receives bytes on the connection of a transfer with CURLOPT_CONNECT_ONLY. The transfer must have ended. If
/// a call returns CURLE_AGAIN, repeat the call with the same bytes at the same address when the socket is ready.
int libcurl_easy_send(CURL *easy, const void *bytes, size_t count, size_t *sent);
int libcurl_easy_receive(CURL *easy, void *buffer, size_t size, size_t *received);
/// The socket of a transfer with CURLOPT_CONNECT_ONLY; -1 if it has no socket.
int libcurl_easy_socket(CURL *easy);

int libcurl_easy_setopt_long(CURL *easy, int option, long value);
int libcurl_easy_setopt_int64(CURL *easy, int option, int64_t value);
int libcurl_easy_setopt_string(CURL *easy, int option, const char *_Nullable value);
int libcurl_easy_setopt_pointer(CURL *easy, int option, const void *_Nullable value);
/// Sets the URL of a transfer. Also parses the URL, so that libcurl does not parse it again for each transfer. If
/// *parsed is then not NULL, libcurl uses this parsed form until another URL is set or the transfer is freed. The
/// caller frees the last parsed form.
int libcurl_easy_set_url(CURL *easy, CURLU *_Nullable *_Nonnull parsed, const char *text);
void libcurl_url_free(CURLU *url);
int libcurl_easy_setopt_data_callback(CURL *easy, int option, libcurl_data_callback _Nullable value);
int libcurl_easy_setopt_seek_callback(CURL *easy, int option, libcurl_seek_callback _Nullable value);
int libcurl_easy_setopt_debug_callback(CURL *easy, int option, libcurl_debug_callback _Nullable value);
int libcurl_easy_setopt_tls_callback(CURL *easy, int option, libcurl_tls_callback _Nullable value);
int libcurl_easy_setopt_open_callback(CURL *easy, int option, libcurl_open_callback _Nullable value);
int libcurl_easy_setopt_close_callback(CURL *easy, int option, libcurl_close_callback _Nullable value);
int libcurl_easy_setopt_socket_options_callback(
    CURL *easy, int option, libcurl_socket_options_callback _Nullable value);
int libcurl_easy_setopt_sending_callback(CURL *easy, int option, libcurl_sending_callback _Nullable value);
int libcurl_easy_setopt_trailer_callback(CURL *easy, int option, libcurl_trailer_callback _Nullable value);
/// Sets a copy of the bytes. There must be at least one byte.
int libcurl_easy_setopt_blob(CURL *easy, int option, const void *bytes, size_t count);

/// If libcurl does not know the value, each of these functions returns 0, an empty string or NULL.
long libcurl_easy_getinfo_long(CURL *easy, int info);
int64_t libcurl_easy_getinfo_int64(CURL *easy, int info);
const char *_Nullable libcurl_easy_getinfo_string(CURL *easy, int info);
void *_Nullable libcurl_easy_getinfo_pointer(CURL *easy, int info);

curl_slist *_Nullable libcurl_slist_append(curl_slist *_Nullable list, const char *text);
void libcurl_slist_free_all(curl_slist *_Nullable list);

// MARK: Many transfers

CURLM *_Nullable libcurl_multi_init(void);
void libcurl_multi_cleanup(CURLM *multi);
int libcurl_multi_add_handle(CURLM *multi, CURL *easy);
int libcurl_multi_remove_handle(CURLM *multi, CURL *easy);
int libcurl_multi_setopt_long(CURLM *multi, int option, long value);
int libcurl_multi_setopt_pointer(CURLM *multi, int option, const void *_Nullable value);
int libcurl_multi_setopt_socket_callback(CURLM *multi, libcurl_socket_callback _Nullable value);
int libcurl_multi_setopt_timer_callback(CURLM *multi, libcurl_timer_callback _Nullable value);
/// Advances the transfers that use a socket. For CURL_SOCKET_TIMEOUT, advances the transfers whose timers are due.
int libcurl_multi_socket_action(CURLM *multi, int socket, int conditions, int *running);
/// The milliseconds until CURL_SOCKET_TIMEOUT is due; -1 if it is not due.
long libcurl_multi_timeout(CURLM *multi);
/// Reads the message about the next transfer that has ended. Returns false if there is none.
bool libcurl_multi_info_read(CURLM *multi, libcurl_message *message);

// MARK: Sharing of data between transfers

CURLSH *_Nullable libcurl_share_init(void);
/// Must not be called while a transfer still uses the share handle.
void libcurl_share_cleanup(CURLSH *share);
/// Makes transfers share one kind of data. `data` is one of the CURL_LOCK_DATA_ constants.
int libcurl_share_add(CURLSH *share, int data);

// MARK: TLS

/// The protocol and the cipher of the connection that a transfer is using, by OpenSSL's names ("TLSv1.3",
/// "TLS_AES_256_GCM_SHA384"). NULL if there is no connection with TLS, or if libcurl does not use OpenSSL.
const char *_Nullable libcurl_tls_version(CURL *easy);
const char *_Nullable libcurl_tls_cipher(CURL *easy);

/// The group of the key exchange of the connection that a transfer is using, by OpenSSL's name ("X25519MLKEM768",
/// "x25519", "secp256r1"). NULL if there is none, or if OpenSSL does not report it.
const char *_Nullable libcurl_tls_group(CURL *easy);

/// Whether libcurl_tls_group can report groups: libcurl uses an OpenSSL from 3.0 on whose functions can be called.
bool libcurl_names_tls_groups(void);

// MARK: Connections

enum libcurl_connection_state {
    /// An HTTP/1.x connection on which no bytes have arrived.
    LIBCURL_CONNECTION_QUIET,
    /// An HTTP/1.x connection that was closed, or on which bytes have arrived that do not belong to a response.
    LIBCURL_CONNECTION_HAS_INPUT,
    /// A connection that cannot be checked. Either it is an HTTP/2 connection, on which bytes may arrive at any time,
    /// or its TLS library is not OpenSSL.
    LIBCURL_CONNECTION_SHARED,
};

/// Returns the state of the connection on which a transfer is about to send its request.
///
/// @param sockets The sockets that may be the connection's socket. Usually, there is only one.
/// @param is_direct Whether TLS is used directly on the socket, and not in the TLS connection to a proxy.
enum libcurl_connection_state libcurl_connection_state(
    CURL *easy, const int *_Nullable sockets, size_t count, bool is_direct);

/// Returns whether the TLS handshake of the connection that a transfer is using has selected HTTP/1.x. Returns false
/// without TLS, or if libcurl does not use OpenSSL.
bool libcurl_has_selected_http1(CURL *easy);

/// Records whether connections with TLS were closed by a close_notify (RFC 8446, section 6.1). Needs OpenSSL.
typedef struct libcurl_tls_watch libcurl_tls_watch;

/// Creates a watch. Returns NULL without OpenSSL.
libcurl_tls_watch *_Nullable libcurl_tls_watch_new(void);

/// Frees a watch. Must not be called while a connection still exists.
void libcurl_tls_watch_free(libcurl_tls_watch *watch);

/// Watches the connections of a TLS context. Called in CURLOPT_SSL_CTX_FUNCTION.
bool libcurl_tls_watch_attach(libcurl_tls_watch *watch, void *tls_context);

/// Begins to watch the connection of a transfer.
///
/// @return A name for the connection, which is passed to libcurl_tls_watch_end once; 0 if the connection is not
/// watched.
uintptr_t libcurl_tls_watch_begin(libcurl_tls_watch *watch, CURL *easy);

/// Ends the watch of a connection, which may no longer exist. Returns true if a close_notify has arrived.
bool libcurl_tls_watch_end(libcurl_tls_watch *watch, uintptr_t name);

// MARK: Trust in servers

/// Checks the certificates of servers in the handshake, by rules that libcurl itself does not have. Needs OpenSSL.
typedef struct libcurl_trust libcurl_trust;

typedef struct {
    const uint8_t *_Nullable bytes;
    size_t count;
} libcurl_bytes;

/// The properties of a server that its handshake has shown.
typedef struct {
    /// The name that the client has sent in the handshake (RFC 6066, section 3). NULL if the server is identified by an
    /// address.
    const char *_Nullable server_name;
    /// The host of the transfer.
    const char *host;
    /// The errors of the verification in the order in which they occurred, as OpenSSL's numbers (X509_V_ERR_).
    const int *_Nullable errors;
    size_t error_count;
    /// The public keys (DER, SubjectPublicKeyInfo) of the certificates in the chain that was found. The key of the
    /// server's own certificate is the first.
    const libcurl_bytes *_Nullable keys;
    size_t key_count;
    /// Whether a valid chain exists if only the anchors are trusted.
    bool is_anchored;
    /// Whether the server's own certificate has a host or an address in its subjectAltName.
    bool has_names;
    /// The name or address of the handshake's peer, which may be a proxy.
    const char *peer;
    /// Whether the server's own certificate is valid for the peer. True if libcurl checks that.
    bool is_for_peer;
    /// The certificates of the chain in DER, in the order of the keys. None unless they are wanted.
    const libcurl_bytes *_Nullable certificates;
    size_t certificate_count;
} libcurl_trust_evidence;

/// The parts of the evidence that only some checks need. By default, none is needed.
typedef struct {
    /// Whether the evidence has the certificates.
    bool has_certificates;
    /// Whether a name may be the common name of a certificate without other names.
    bool accepts_common_names;
} libcurl_trust_details;

/// The certificates that are looked up in revocation lists (RFC 5280, section 5).
enum libcurl_trust_revocation {
    LIBCURL_TRUST_REVOCATION_NONE,
    /// The server's own certificate.
    LIBCURL_TRUST_REVOCATION_LEAF,
    /// All certificates of the chain except the trusted one at its end.
    LIBCURL_TRUST_REVOCATION_CHAIN,
};

/// Revocation lists in the memory of OpenSSL.
typedef struct libcurl_revocation_lists libcurl_revocation_lists;

/// Returns 0 if the handshake may continue. Otherwise, the handshake fails with the returned error, which is one of
/// OpenSSL's numbers.
typedef int (*libcurl_trust_judge)(void *_Nullable context, const libcurl_trust_evidence *evidence);

enum libcurl_trust_role {
    /// A root that is trusted in place of libcurl's own roots.
    LIBCURL_TRUST_ROOT,
    /// A root that is trusted in addition to libcurl's own roots.
    LIBCURL_TRUST_ADDITIONAL_ROOT,
    /// An anchor. A chain is anchored if it ends in one of the anchors.
    LIBCURL_TRUST_ANCHOR,
};

/// The reason why servers cannot be checked in this way, as a sentence without its full stop. NULL if they can be
/// checked. The text is never freed.
const char *_Nullable libcurl_trust_unavailability(void);

/// Creates a check. The judge and its context must exist as long as any connection.
libcurl_trust *_Nullable libcurl_trust_new(libcurl_trust_judge judge, void *_Nullable context);

/// Removes libcurl's own roots from the trusted roots.
bool libcurl_trust_use_own_roots(libcurl_trust *trust);

/// Adds a certificate in DER. Returns false if OpenSSL cannot read it.
bool libcurl_trust_add(libcurl_trust *trust, enum libcurl_trust_role role, const void *bytes, size_t count);

/// Sets the parts of the evidence that the judge needs.
void libcurl_trust_set_details(libcurl_trust *trust, libcurl_trust_details details);

/// Creates an empty set of lists. NULL if there is no OpenSSL, or if there is no memory.
libcurl_revocation_lists *_Nullable libcurl_revocation_lists_new(void);

/// Adds a list in DER. Returns false if OpenSSL cannot read it.
bool libcurl_revocation_lists_add(libcurl_revocation_lists *lists, const void *bytes, size_t count);

void libcurl_revocation_lists_free(libcurl_revocation_lists *lists);

/// Replaces the lists of a check, which then owns the new ones. Must not be called during a handshake. Without lists,
/// each certificate that has to be looked up has the error that there is no list.
void libcurl_trust_check_revocation(
    libcurl_trust *trust, enum libcurl_trust_revocation revocation, libcurl_revocation_lists *_Nullable lists);

/// Adds the check to the handshakes of a TLS context. Called in CURLOPT_SSL_CTX_FUNCTION. If the function returns
/// false, no handshake may take place.
///
/// @param host The host of the transfer.
/// @param peer The peer of a handshake in which the client sends no name: the host, or a proxy with an address.
/// @param checks_name Whether the name of the server's own certificate is checked here, and not by libcurl.
bool libcurl_trust_attach(
    libcurl_trust *trust, void *tls_context, const char *host, const char *peer, bool checks_name);

/// Frees a check. Must not be called while a connection still exists.
void libcurl_trust_free(libcurl_trust *trust);

// MARK: Client identities

enum libcurl_identity_state {
    LIBCURL_IDENTITY_MATCHES,
    /// The key does not belong to the certificate.
    LIBCURL_IDENTITY_DIFFERS,
    LIBCURL_IDENTITY_HAS_NO_CERTIFICATE,
    /// The key cannot be read, or the passphrase is wrong.
    LIBCURL_IDENTITY_HAS_NO_KEY,
    /// OpenSSL's functions cannot be called (libcurl_trust_unavailability).
    LIBCURL_IDENTITY_UNKNOWN,
};

/// Checks whether a key belongs to the first of some certificates, all in PEM.
enum libcurl_identity_state libcurl_identity_check_pem(
    const void *certificate, size_t certificate_count, const void *key, size_t key_count, const char *passphrase);

/// Checks the certificate and the key of a PKCS #12 container.
enum libcurl_identity_state libcurl_identity_check_pkcs12(const void *bytes, size_t count, const char *passphrase);

// MARK: Key logs

/// A file to which the secrets of TLS connections are appended, in the format of NSS (draft-ietf-tls-keylogfile). Needs
/// OpenSSL.
typedef struct libcurl_key_log libcurl_key_log;

/// Opens a file. If it does not exist, creates a file that only its owner can read.
///
/// @param path A path. It must not lead to a symbolic link, a device or a pipe. An existing file must belong to the
/// process's user, must have no other name, and must not be accessible to other users.
/// @param reason Set to the reason if the result is NULL. It is a sentence without its full stop.
/// @param size The size of the buffer for the reason in bytes.
libcurl_key_log *_Nullable libcurl_key_log_open(const char *path, char *reason, size_t size);

/// Logs the secrets of a TLS context, in addition to the file that SSLKEYLOGFILE names. Called in
/// CURLOPT_SSL_CTX_FUNCTION. Threads may share a key log.
bool libcurl_key_log_attach(libcurl_key_log *log, void *tls_context);

/// Closes the file. Must not be called while a connection still exists.
void libcurl_key_log_close(libcurl_key_log *log);

// MARK: Public suffixes

/// Whether libpsl was found and has a list of public suffixes.
bool libpsl_is_available(void);

/// Returns the offset of the registrable domain in a host name. This domain is the public suffix and the label before
/// it. -1 if the name has no registrable domain, or if there is no list. The name must be in ASCII and in lower case.
int libpsl_registrable_domain(const char *name);

#pragma clang assume_nonnull end

#endif
