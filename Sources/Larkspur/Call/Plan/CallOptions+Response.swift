internal import HTTPSyntax

/// The checks of a response that the methods of a call have added, besides the validation of the options.
struct ResponseChecks: Sendable {
    /// A check of the response that the caller has added. It throws if the response is not acceptable.
    typealias Check = @Sendable (URLRequest?, HTTPURLResponse, Data) throws -> Void
    /// A check of a downloaded file that the caller has added. It throws if the response is not acceptable.
    typealias FileCheck = @Sendable (URLRequest?, HTTPURLResponse, URL) throws -> Void

    /// The acceptable status codes that replace the codes of the serializer; nil if the serializer's codes apply.
    var statusCodes: StatusCodes?
    /// The acceptable content types that replace the types of the serializer; nil if the serializer's types apply.
    var contentTypes: Set<MediaRange>?
    var ofContent: [Check] = []
    var ofFile: [FileCheck] = []
}

/// The validation of a response by the options of its call and the rules of its serializers.
extension CallOptions {
    /// Returns a validation in which the options of the call have replaced the rules of a serializer.
    func applied(to validation: ResponseValidation) -> ResponseValidation {
        var validation = self.validation ?? validation
        if let statusCodes = checks.statusCodes { validation.acceptableStatusCodes = statusCodes }
        if let contentTypes = checks.contentTypes { validation.acceptableContentTypes = contentTypes }
        return validation
    }

    /// Validates a response and serializes its content, unless its transfer has failed.
    @_specialize(where S == AnyResponseSerializer)
    func run<S: ResponseSerializer>(
        _ serializer: S,
        _ result: TransferResult
    ) -> sending Result<S.Output, LarkspurError> {
        if let error = result.error { return .failure(error) }
        var serializer = serializer
        if validation != nil || checks.statusCodes != nil || checks.contentTypes != nil {
            serializer.validation = applied(to: serializer.validation)
        }
        // If the rules reject the response already, their error takes precedence over the error of a check.
        if !checks.ofContent.isEmpty || result.digestFailure != nil,
            (try? serializer.validation.validate(received: result.received, data: result.data)) != nil
        {
            if let failure = result.digestFailure { return .failure(failure.error) }
            do throws(LarkspurError) { try check(result) } catch { return .failure(error) }
        }
        return ResponsePipeline.run(
            serializer,
            request: result.request,
            response: result.received,
            data: result.data
        )
    }

    /// Verifies the content of a response, if the call asks for it. The error is stored, because a response that is not
    /// acceptable is reported with another error.
    /// - Parameter stream: The stream that has delivered the content; nil if the content was collected.
    func verifyingDigests(of result: TransferResult, from stream: ResponseStream?) -> TransferResult {
        guard let digestVerification, result.error == nil else { return result }
        let response = result.response as? HTTPURLResponse
        let content: DigestVerification.Content =
            if let stream {
                .hashed(stream.hashes ?? digestVerification.hashesOfNothing, count: stream.count)
            } else if let file = result.file {
                .file(file)
            } else {
                .data(result.data)
            }
        var result = result
        do throws(LarkspurError) {
            try digestVerification.verify(content, of: response, result.trailers, method: result.request?.httpMethod)
        } catch {
            let data = result.file == nil && stream == nil ? result.data : nil
            let failure = error.filled(request: result.request, response: result.response, responseData: data)
            result.digestFailure = StoredError(failure)
        }
        return result
    }

    /// Runs the caller's checks of the response.
    func check(_ result: TransferResult) throws(LarkspurError) {
        guard let response = result.response as? HTTPURLResponse else { return }
        for check in checks.ofContent {
            try Self.run(for: result, data: result.data) { try check(result.request, response, result.data) }
        }
    }

    /// Runs the caller's checks of the file of a download.
    func check(_ file: URL, of result: TransferResult) throws(LarkspurError) {
        guard let response = result.response as? HTTPURLResponse else { return }
        for check in checks.ofFile {
            try Self.run(for: result, data: nil) { try check(result.request, response, file) }
        }
    }

    private static func run(for result: TransferResult, data: Data?, _ check: () throws -> Void) throws(LarkspurError) {
        do {
            try check()
        } catch {
            let failure =
                error as? LarkspurError
                ?? LarkspurError(
                    .unacceptableResponse,
                    "The response is not acceptable: \(SerializationFailure.reason(error).withoutFullStop).",
                    underlyingError: error
                )
            throw failure.filled(request: result.request, response: result.response, responseData: data)
        }
    }
}
