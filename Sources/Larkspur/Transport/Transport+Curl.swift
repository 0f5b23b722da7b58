#if canImport(FoundationNetworking)
extension Transport {
    /// `CurlURLSession`, Larkspur's own `URLSession` on libcurl. On Linux only.
    ///
    /// If libcurl cannot be used, every request fails with the code `transportUnavailable` and a message with the
    /// reason. `CurlURLSession.isAvailable` is false in that case.
    public static let curl = curl(CurlURLSession.Options())

    /// Returns `CurlURLSession` with options that a configuration does not have. On Linux only.
    /// - Parameter options: The options of the session.
    public static func curl(_ options: CurlURLSession.Options) -> Transport {
        var transport = custom(enforcingSecurityPolicy: { policy, configuration, delegate, queue in
            var options = options
            options.tls.enforce(policy)
            for index in options.hostTLS.indices { options.hostTLS[index].configuration.enforce(policy) }
            return CurlURLSession(
                configuration,
                delegate: delegate,
                queue: queue,
                options: options,
                callsDelegateOnLoop: true
            )
        })
        transport.limited = { limits in
            var options = options
            options.allowedAddresses = limits.allowedAddresses
            options.allowedPorts = limits.allowedPorts
            options.maximumRedirects = limits.maximumRedirects
            options.maximumResponseSize = limits.maximumResponseSize
            return curl(options)
        }
        return transport
    }

    /// Returns the best available transport: `curl` if libcurl can be used, otherwise `foundation`.
    static func best(isCurlAvailable: Bool) -> Transport { isCurlAvailable ? curl : foundation }
}
#endif

extension Platform {
    static var bestTransport: Transport {
        #if canImport(FoundationNetworking)
        // If the libcurl that was named cannot be used, requests fail with the reason, and no other transport takes its
        // place.
        .best(isCurlAvailable: CurlURLSession.isAvailable || CurlURLSession.isLibcurlNamed)
        #else
        .foundation
        #endif
    }
}
