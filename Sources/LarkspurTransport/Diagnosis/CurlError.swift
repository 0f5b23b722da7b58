#if canImport(FoundationNetworking)
/// The error that libcurl reported for a transfer that failed: the cause underneath a `URLError`.
///
/// ``Foundation/URLError/curlError`` returns it, and `NSUnderlyingErrorKey` holds it as an `NSError` of
/// ``errorDomain``.
public struct CurlError: Error, Sendable, Hashable {
    /// The `CURLcode`, such as 35, `CURLE_SSL_CONNECT_ERROR`.
    public let code: Int
    /// libcurl's sentence; empty if it gave none.
    public let message: String
    /// The `errno` of the system call that failed; 0 if it is not known.
    public let systemError: Int32
    /// The result of the verification of the server's certificate, one of OpenSSL's `X509_V_ERR_` numbers; 0 if it
    /// found nothing wrong, 1 if it was not made.
    public let verifyResult: Int
}

extension CurlError: LocalizedError {
    /// libcurl's sentence, else the number of the code.
    public var errorDescription: String? { message.isEmpty ? Self.sentence(for: code) : message }

    private static func sentence(for code: Int) -> String { "libcurl failed with code \(code)." }
}

extension CurlError: CustomNSError {
    /// The domain of the `NSError` that a `CurlError` bridges to: `LarkspurCurlErrorDomain`.
    public static var errorDomain: String { "LarkspurCurlErrorDomain" }

    /// The key of ``verifyResult`` in `errorUserInfo`, as `Int`; absent if that is 0.
    public static let verifyResultUserInfoKey = "LarkspurCurlErrorVerifyResult"

    /// The `CURLcode`.
    public var errorCode: Int { code }

    /// The description, and ``verifyResult`` and an `NSError` of `NSPOSIXErrorDomain` for ``systemError``, each if it
    /// is known.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [:]
        info[NSLocalizedDescriptionKey] = errorDescription
        if verifyResult != 0 { info[Self.verifyResultUserInfoKey] = verifyResult }
        if systemError != 0 {
            info[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(systemError))
        }
        return info
    }

    /// Restores the error from the `NSError` that it became; nil for errors of other domains.
    init?(_ error: NSError) {
        guard error.domain == Self.errorDomain else { return nil }
        let description = error.userInfo[NSLocalizedDescriptionKey] as? String ?? ""
        let systemError = (error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code ?? 0
        self.init(
            code: error.code,
            message: description == Self.sentence(for: error.code) ? "" : description,
            systemError: Int32(truncatingIfNeeded: systemError),
            verifyResult: error.userInfo[Self.verifyResultUserInfoKey] as? Int ?? 0
        )
    }
}

extension URLError {
    /// The error that libcurl reported; nil if this error does not come from a transfer of libcurl's.
    public var curlError: CurlError? {
        (userInfo[NSUnderlyingErrorKey] as? NSError).flatMap(CurlError.init)
    }
}
#endif
