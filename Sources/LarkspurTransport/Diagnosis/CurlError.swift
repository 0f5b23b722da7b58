#if canImport(FoundationNetworking)
import HTTPSyntax

/// The error that libcurl reported for a failed transfer: the cause of a `URLError`.
///
/// It is available as ``Foundation/URLError/curlError``, and as an `NSError` of ``errorDomain`` under
/// `NSUnderlyingErrorKey`.
public struct CurlError: Error, Sendable, Hashable {
    /// The `CURLcode`, such as 35, `CURLE_SSL_CONNECT_ERROR`.
    public let code: Int
    /// libcurl's message; empty if there is none.
    public let message: String
    /// The `errno` of the system call that failed; 0 if it is not known.
    public let systemError: Int32
    /// The result of the verification of the server's certificate, one of OpenSSL's `X509_V_ERR_` numbers. 0 if nothing
    /// was wrong, 1 if the certificate was not verified.
    public let verifyResult: Int
}

extension CurlError: LocalizedError {
    /// libcurl's message, otherwise the number of the code.
    public var errorDescription: String? { message.isEmpty ? Self.sentence(for: code) : message }

    private static func sentence(for code: Int) -> String { "libcurl failed with code \(code)." }
}

extension CurlError: CustomNSError {
    /// The domain of the `NSError` to which a `CurlError` bridges: `LarkspurCurlErrorDomain`.
    public static var errorDomain: String { "LarkspurCurlErrorDomain" }

    /// The key of ``verifyResult`` in `errorUserInfo`, as `Int`; absent for 0.
    public static let verifyResultUserInfoKey = "LarkspurCurlErrorVerifyResult"

    /// The `CURLcode`.
    public var errorCode: Int { code }

    /// The description and, if they are known, ``verifyResult`` and an `NSError` of `NSPOSIXErrorDomain` for
    /// ``systemError``.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [:]
        info[NSLocalizedDescriptionKey] = errorDescription
        if verifyResult != 0 { info[Self.verifyResultUserInfoKey] = verifyResult }
        if systemError != 0 {
            info[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(systemError))
        }
        return info
    }

    /// Restores the error from the `NSError` to which it was bridged; nil for errors of other domains.
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
    /// The error that libcurl reported; nil if this error does not come from a transfer of libcurl.
    public var curlError: CurlError? {
        (userInfo[NSUnderlyingErrorKey] as? NSError).flatMap(CurlError.init)
    }
}
#endif
