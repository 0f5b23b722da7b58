extension Invocation {
    /// Checks that the options can be combined.
    func validate() throws(UsageError) {
        guard mode == .request || mode == .webSocket else { return }
        if download.continues, !download.isRequested { throw UsageError("--continue goes only with --download.") }
        if download.continues, output.file == nil { throw UsageError("--continue needs --output.") }
        if request.compression != nil, request.isChunked {
            throw UsageError("--compress and --chunked do not go together.")
        }
        if request.compression != nil, request.contentKind == .multipart {
            throw UsageError("--compress and --multipart do not go together.")
        }
        if request.raw != nil, request.hasDataItems { throw Self.mixedBody }
        if network.keyFile != nil, network.certificateFile == nil { throw UsageError("--cert-key needs --cert.") }
        if credentials.scheme != nil, credentials.text == nil { throw UsageError("--auth-type needs --auth.") }
        if credentials.signing != nil, credentials.scheme != nil {
            throw UsageError("--aws-sigv4 and --auth-type do not go together.")
        }
        if credentials.signing != nil, mode == .webSocket {
            throw UsageError("--aws-sigv4 does not go with a WebSocket.")
        }
        if streams.repetitions != nil, download.isRequested || streams.receivesEvents {
            throw UsageError("--repeat goes neither with --download nor with --events.")
        }
        if streams.retries == nil, streams.retryDelay != nil { throw UsageError("--retry-delay needs --retry.") }
        if streams.retries == nil, streams.retryTime != nil { throw UsageError("--retry-max-time needs --retry.") }
        if network.unixSocket != nil, !network.proxies.isEmpty {
            throw UsageError("--unix-socket and --proxy do not go together.")
        }
        if network.unixSocket != nil, network.isPublicOnly {
            throw UsageError("--unix-socket and --public-only do not go together.")
        }
        if streams.repetitions == nil, streams.parallelism > 1 { throw UsageError("--parallel needs --repeat.") }
        if mode == .webSocket, request.hasDataItems || request.raw != nil {
            throw UsageError("A WebSocket has no request body; its messages are the lines of standard input.")
        }
        let files = request.items.filter { $0.kind == .file }
        if request.contentKind != .form, request.contentKind != .multipart, !files.isEmpty {
            guard files.allSatisfy({ $0.name.isEmpty }) else {
                throw UsageError("A file as a field goes only with --form or --multipart.")
            }
            guard files.count == 1, request.items.count(where: { $0.kind.isData }) == 1 else { throw Self.mixedBody }
        }
    }

    /// The error for more than one source of the body.
    static let mixedBody = UsageError(
        "The body is either data items, or --raw, or a file, or standard input; --ignore-stdin leaves the last one out."
    )
}
