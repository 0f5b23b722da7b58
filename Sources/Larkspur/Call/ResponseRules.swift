/// The rules of a call by which its response is acceptable, in addition to the rules of its serializers.
struct ResponseRules: Sendable {
    /// A check of the response that the caller has added. It throws if the response is not acceptable.
    typealias Check = @Sendable (URLRequest?, HTTPURLResponse, Data) throws -> Void
    /// A check of a downloaded file that the caller has added. It throws if the response is not acceptable.
    typealias FileCheck = @Sendable (URLRequest?, HTTPURLResponse, URL) throws -> Void

    /// The rules that replace the rules of the serializer; nil if the serializer's rules apply.
    var validation: ResponseValidation?
    /// The acceptable status codes that replace the codes of the serializer; nil if the serializer's codes apply.
    var statusCodes: StatusCodes?
    /// The acceptable content types that replace the types of the serializer; nil if the serializer's types apply.
    var contentTypes: Set<MediaRange>?
    var checks: [Check] = []
    var fileChecks: [FileCheck] = []

    /// Returns a validation in which the call's rules have replaced the rules of a serializer.
    func applied(to validation: ResponseValidation) -> ResponseValidation {
        var validation = self.validation ?? validation
        if let statusCodes { validation.acceptableStatusCodes = statusCodes }
        if let contentTypes { validation.acceptableContentTypes = contentTypes }
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
        if validation != nil || statusCodes != nil || contentTypes != nil {
            serializer.validation = applied(to: serializer.validation)
        }
        // If the rules reject the response already, their error takes precedence over the error of a check.
        if !checks.isEmpty, (try? serializer.validation.validate(received: result.received, data: result.data)) != nil {
            do throws(LarkspurError) { try check(result) } catch { return .failure(error) }
        }
        return ResponsePipeline.run(
            serializer,
            request: result.request,
            response: result.received,
            data: result.data
        )
    }

    /// Runs the caller's checks of the response.
    func check(_ result: TransferResult) throws(LarkspurError) {
        guard let response = result.response as? HTTPURLResponse else { return }
        for check in checks {
            try Self.run(for: result, data: result.data) { try check(result.request, response, result.data) }
        }
    }

    /// Runs the caller's checks of the file of a download.
    func check(_ file: URL, of result: TransferResult) throws(LarkspurError) {
        guard let response = result.response as? HTTPURLResponse else { return }
        for check in fileChecks {
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
