#if canImport(FoundationNetworking)
extension Transport {
    /// `CurlURLSession`, our own `URLSession` on libcurl; on Linux only.
    ///
    /// If no libcurl can be used, every request fails with the code `transportUnavailable` and a sentence that says
    /// why; `CurlURLSession.isAvailable` tells beforehand.
    public static let curl = curl(CurlURLSession.Options())

    /// `CurlURLSession` with options that a configuration has no words for; on Linux only.
    /// - Parameter options: What else there is to choose.
    public static func curl(_ options: CurlURLSession.Options) -> Transport {
        custom(enforcingSecurityPolicy: { policy, configuration, delegate, queue in
            var options = options
            options.tls.enforce(policy)
            return CurlURLSession(
                configuration,
                delegate: delegate,
                queue: queue,
                options: options,
                callsDelegateOnLoop: true
            )
        })
    }

    /// The best transport there is: `curl` where libcurl can be used, else `foundation`.
    static func best(isCurlAvailable: Bool) -> Transport { isCurlAvailable ? curl : foundation }
}
#endif

extension Platform {
    static var bestTransport: Transport {
        #if canImport(FoundationNetworking)
        .best(isCurlAvailable: CurlURLSession.isAvailable)
        #else
        .foundation
        #endif
    }
}
