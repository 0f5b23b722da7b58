#if canImport(FoundationNetworking)
/// The values that libcurl reports for a transfer that failed.
struct TransferFailure: Sendable, Hashable {
    /// The `CURLcode`.
    var curlCode: Int32
    /// The `errno` of the system call that failed (`CURLINFO_OS_ERRNO`); 0 if there was none.
    ///
    /// libcurl does not reset the value of an earlier attempt if a later attempt succeeds. So it counts only with codes
    /// that come from such a call.
    var osError: Int32 = 0
    /// The result of the certificate's verification, one of OpenSSL's `X509_V_ERR_` numbers; 0 if it found nothing
    /// wrong, and 1 before it is made.
    var verifyResult: Int = 0
    /// The text of libcurl's error buffer; may be empty.
    var message: String = ""
    /// Whether the head of a response had arrived.
    var hasResponse: Bool = false
    /// Whether the connection was, or was to be, a secure one.
    var isTLS: Bool = false
    /// The reason why the handshake was refused, if the reason was found within it.
    var objection: TrustObjection?
    /// The host of the https proxy, if the handshake with it failed.
    var refusedProxy: String?

    /// Returns the error that the task reports.
    func error(url: URL?) -> URLError {
        let code = urlErrorCode
        let cause = CurlError(
            code: Int(curlCode),
            message: message,
            systemError: osError,
            verifyResult: verifyResult
        )
        let error = URLError.engine(code, sentence(for: code), url: url, underlying: cause as NSError)
        guard let failure = tlsFailure(for: code, url: url) else { return error }
        return URLError(code, userInfo: error.userInfo.merging([TLSFailure.userInfoKey: failure]) { $1 })
    }
}
#endif
