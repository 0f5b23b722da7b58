#if canImport(FoundationNetworking)
extension URLError {
    /// The reason why the connection was not safe enough; nil if the request failed for another reason.
    public var tlsFailure: TLSFailure? { userInfo[TLSFailure.userInfoKey] as? TLSFailure }

    /// Creates the error of a request that is not sent because its configuration cannot be enforced.
    static func unenforceableTLS(url: URL?) -> URLError {
        tls(
            .secureConnectionFailed,
            "The libcurl at hand cannot enforce what is configured for TLS.",
            url: url,
            TLSFailure(.notEnforceable, host: url?.host ?? "")
        )
    }

    /// Creates the error of a request that is not sent, or whose response is not accepted, for security reasons.
    static func tls(_ code: URLError.Code, _ sentence: String, url: URL?, _ failure: TLSFailure) -> URLError {
        let error = engine(code, sentence, url: url)
        return URLError(code, userInfo: error.userInfo.merging([TLSFailure.userInfoKey: failure]) { $1 })
    }
}
#endif
