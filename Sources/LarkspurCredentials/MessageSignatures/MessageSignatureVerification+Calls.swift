internal import HTTPSyntax

/// The verification of the responses of calls.
extension MessageSignatureVerification: RequestInterceptor {
    /// Sends a request, and verifies the response.
    ///
    /// The request asks for content without a content coding, unless it has the field `Accept-Encoding`, because a
    /// digest covers the content as it was sent. With the default cache policy it is not answered from the cache,
    /// because a stored signature may be too old.
    /// - Throws: The error of the rest of the chain; `unacceptableResponse` if the response is not acceptable, with a
    ///   ``MessageSignatureFailure`` as its `underlyingError`; `unsupported` if the content of the response is
    ///   delivered while it arrives.
    public func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        guard !context.deliversContent else {
            throw LarkspurError(
                .unsupported,
                "The signature of a response cannot be verified before its content is delivered: collect or download it."
            )
        }
        var request = request.requestingNoCoding
        if request.cachePolicy == .useProtocolCachePolicy { request.cachePolicy = .reloadIgnoringLocalCacheData }
        let response = try await next(request)
        do {
            try await verify(response)
        } catch let failure as MessageSignatureFailure {
            let status = response.statusCode.map { " with the status \($0)" } ?? ""
            throw LarkspurError(
                .unacceptableResponse,
                "The response\(status) is not acceptable. \(failure.message)",
                underlyingError: failure,
                request: response.request,
                response: response.response,
                responseData: response.data
            )
        }
        return response
    }

    private func verify(_ response: InterceptedResponse) async throws {
        guard let head = response.httpResponse else {
            throw MessageSignatureFailure(.missingSignature, "The response is not one of HTTP.")
        }
        guard let digests = try verifiedDigests(of: head, response.trailers, to: response.request) else { return }
        try digests.verify(try await response.hashes(of: digests.hashes))
    }
}

extension RequestInterceptor where Self == MessageSignatureVerification {
    /// Returns an interceptor that verifies the signatures of responses (RFC 9421). Use it as the first interceptor in
    /// `interceptors.call`. The responses of all origins must be signed, so use a session manager
    /// for these servers alone.
    /// - Parameters:
    ///   - keys: The keys of the servers.
    ///   - components: The components that a signature must cover. Default: the status and the digest of the content.
    public static func messageSignatureVerification(
        _ keys: MessageSignatureVerification.Key...,
        requiring components: [MessageSignature.Component] = MessageSignatureVerification.defaultComponents
    ) -> MessageSignatureVerification {
        MessageSignatureVerification(keys: keys, requiring: components)
    }
}
