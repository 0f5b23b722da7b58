#include "CLibcurlStatic.h"
#include "CDynamicLibrary.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <stddef.h>

// The functions that CLibcurl, CCodings and CSignatures look up. A strong reference makes the linker take the function
// from an archive. The declarations have other types than the functions, because only the addresses are used.
#define FUNCTIONS(f) \
    /* libcurl.a */ \
    f(curl_version_info) f(curl_version) f(curl_global_init) f(curl_easy_init) f(curl_easy_cleanup) \
    f(curl_easy_reset) f(curl_easy_pause) f(curl_easy_send) f(curl_easy_recv) f(curl_easy_setopt) \
    f(curl_easy_getinfo) f(curl_url) f(curl_url_set) f(curl_url_cleanup) f(curl_slist_append) f(curl_slist_free_all) \
    f(curl_multi_init) f(curl_multi_cleanup) f(curl_multi_add_handle) f(curl_multi_remove_handle) \
    f(curl_multi_setopt) f(curl_multi_socket_action) f(curl_multi_timeout) f(curl_multi_info_read) \
    f(curl_share_init) f(curl_share_setopt) f(curl_share_cleanup) \
    /* libssl.a and libcrypto.a */ \
    f(BIO_ctrl) f(BIO_free) f(BIO_get_callback_arg) f(BIO_new) f(BIO_new_mem_buf) f(BIO_new_socket) f(BIO_s_mem) \
    f(BIO_set_callback_arg) f(BIO_set_callback_ex) f(BIO_up_ref) f(CRYPTO_free) f(CRYPTO_get_ex_new_index) \
    f(ERR_clear_error) f(ERR_get_error) f(ERR_reason_error_string) f(EVP_CIPHER_CTX_ctrl) f(EVP_CIPHER_CTX_free) \
    f(EVP_CIPHER_CTX_new) f(EVP_CipherFinal_ex) f(EVP_CipherInit_ex) f(EVP_CipherUpdate) f(EVP_DigestSign) \
    f(EVP_DigestSignInit) f(EVP_aes_256_gcm) \
    f(EVP_DigestVerify) f(EVP_DigestVerifyInit) f(EVP_MD_CTX_free) f(EVP_MD_CTX_new) f(EVP_PKEY_CTX_ctrl_str) \
    f(EVP_PKEY_free) f(EVP_sha256) f(EVP_sha384) f(EVP_sha512) f(GENERAL_NAMES_free) f(GENERAL_NAME_get0_value) \
    f(OPENSSL_atexit) f(OPENSSL_init_crypto) f(OPENSSL_sk_free) f(OPENSSL_sk_new_null) f(OPENSSL_sk_num) \
    f(OPENSSL_sk_push) f(OPENSSL_sk_value) f(OpenSSL_version) f(OpenSSL_version_num) f(PEM_read_bio_PUBKEY) \
    f(PEM_read_bio_PrivateKey) f(PEM_read_bio_X509) f(PKCS12_free) f(PKCS12_parse) f(SSL_CIPHER_get_name) \
    f(SSL_CTX_get_cert_store) f(SSL_CTX_get_ex_data) f(SSL_CTX_get_keylog_callback) f(SSL_CTX_set1_cert_store) \
    f(SSL_CTX_set_cert_verify_callback) f(SSL_CTX_set_ex_data) f(SSL_CTX_set_info_callback) \
    f(SSL_CTX_set_keylog_callback) f(SSL_CTX_set_options) f(SSL_ctrl) f(SSL_get0_alpn_selected) f(SSL_get_SSL_CTX) \
    f(SSL_get_current_cipher) f(SSL_get_error) f(SSL_get_ex_data) f(SSL_get_ex_data_X509_STORE_CTX_idx) \
    f(SSL_get_rbio) f(SSL_get_servername) f(SSL_get_version) f(SSL_get_wbio) f(SSL_has_pending) f(SSL_peek) \
    f(SSL_set_bio) f(SSL_set_ex_data) f(X509_CRL_free) f(X509_STORE_CTX_free) f(X509_STORE_CTX_get0_cert) \
    f(X509_STORE_CTX_get0_chain) f(X509_STORE_CTX_get0_untrusted) f(X509_STORE_CTX_get_error) \
    f(X509_STORE_CTX_get_error_depth) f(X509_STORE_CTX_get_ex_data) f(X509_STORE_CTX_init) f(X509_STORE_CTX_new) \
    f(X509_STORE_CTX_set0_crls) f(X509_STORE_CTX_set_default) f(X509_STORE_CTX_set_error) \
    f(X509_STORE_CTX_set_flags) f(X509_STORE_CTX_set_verify_cb) f(X509_STORE_add_cert) f(X509_STORE_free) \
    f(X509_STORE_new) f(X509_STORE_set_flags) f(X509_check_host) f(X509_check_ip) f(X509_check_private_key) \
    f(X509_free) f(X509_get_X509_PUBKEY) f(X509_get_ext_d2i) f(X509_verify_cert) f(d2i_PKCS12) f(d2i_X509) \
    f(d2i_X509_CRL) f(i2d_PUBKEY) f(i2d_X509) f(i2d_X509_PUBKEY) \
    /* libz.a */ \
    f(inflateInit2_) f(inflate) f(inflateReset) f(inflateEnd) f(deflateInit2_) f(deflate) f(deflateEnd) \
    f(inflateResetKeep) f(deflateReset) \
    /* libbrotlidec.a */ \
    f(BrotliDecoderCreateInstance) f(BrotliDecoderDecompressStream) f(BrotliDecoderDestroyInstance) \
    /* libzstd.a */ \
    f(ZSTD_createDStream) f(ZSTD_decompressStream) f(ZSTD_isError) f(ZSTD_freeDStream) \
    f(ZSTD_getFrameContentSize) f(ZSTD_DCtx_setParameter) f(ZSTD_getErrorCode) f(ZSTD_compress)

// Since 8.3.0. libcurl's other functions need the same part of its archive, so that a weak reference finds it.
extern void curl_global_trace(void) __attribute__((weak));
// Since OpenSSL 3.2 and 3.0.
extern void SSL_get0_group_name(void) __attribute__((weak));
extern void SSL_group_to_name(void) __attribute__((weak));

#define DECLARE(name) extern void name(void);
FUNCTIONS(DECLARE)

#define ENTRY(name) {#name, (void *)name},
static const linked_function functions[] = {
    FUNCTIONS(ENTRY)
    {"curl_global_trace", (void *)curl_global_trace},
    {"SSL_get0_group_name", (void *)SSL_get0_group_name},
    {"SSL_group_to_name", (void *)SSL_group_to_name},
    {NULL, NULL},
};

__attribute__((constructor)) static void announce(void) { dynamic_library_link(functions); }

#endif
