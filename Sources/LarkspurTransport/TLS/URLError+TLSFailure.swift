#if canImport(FoundationNetworking)
extension URLError {
    /// Why the connection was not safe enough, where that is why the request failed.
    public var tlsFailure: TLSFailure? { userInfo[TLSFailure.userInfoKey] as? TLSFailure }

    /// The error of a request that is not sent because what was configured cannot be enforced.
    static func unenforceableTLS(url: URL?) -> URLError {
        tls(
            .secureConnectionFailed,
            "The libcurl at hand cannot enforce what is configured for TLS.",
            url: url,
            TLSFailure(.notEnforceable, host: url?.host ?? "")
        )
    }

    /// The error of a request that is not sent, or not accepted, for the sake of security.
    static func tls(_ code: URLError.Code, _ sentence: String, url: URL?, _ failure: TLSFailure) -> URLError {
        let error = engine(code, sentence, url: url)
        return URLError(code, userInfo: error.userInfo.merging([TLSFailure.userInfoKey: failure]) { $1 })
    }
}
#endif
