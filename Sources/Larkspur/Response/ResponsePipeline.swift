/// The steps from a response to its value: validation, serialization, and the combination of their errors.
///
/// The functions are pure: they use no queue, no I/O and no state. If the status is unacceptable, the error contains
/// the object that the serializer created from the body, or the serializer's error. The body of such a response is
/// never decoded into the type for a successful response.
enum ResponsePipeline {
    /// Validates a response and serializes its content.
    /// - Returns: The value of the serializer, or the error with request, response and content.
    @_specialize(where S == AnyResponseSerializer)
    static func run<S: ResponseSerializer>(
        _ serializer: S,
        request: URLRequest?,
        response: ReceivedResponse?,
        data: Data
    ) -> sending Result<S.Output, LarkspurError> {
        let parts = ResponseParts(request: request, response: response, data: data)
        // The response's object is created only for a serializer that needs it.
        let response = serializer.readsContentAlone || serializer.decodesJSON ? nil : response?.object
        guard let invalid = parts.validationFailure(serializer.validation) else {
            do {
                return .success(try serializer.serialize(data, response: response))
            } catch {
                return .failure(parts.completed(error))
            }
        }
        // Content of an unacceptable type is not parsed. A serializer that is only for successful responses would only
        // add an error.
        if invalid.contains(.unacceptableContentType) || serializer.readsSuccessOnly { return .failure(invalid) }
        do {
            return .failure(invalid.with(try serializer.serialize(data, response: response)))
        } catch {
            return .failure(invalid.with(parseFailure: parts.completed(error)))
        }
    }

    /// Validates a response and serializes its content with a serializer whose type is unknown. The value is `Any`, or
    /// nil if it is an empty `Optional`.
    static func runErased(
        _ serializer: any ResponseSerializer,
        request: URLRequest?,
        response: URLResponse?,
        data: Data
    ) -> sending Result<Any?, LarkspurError> {
        erase(serializer, ResponseParts(request: request, response: response.map(ReceivedResponse.init), data: data))
    }

    /// Returns an error as a `LarkspurError`, with request, response and content added if they are missing.
    static func completed(
        _ error: any Error,
        request: URLRequest?,
        response: URLResponse?,
        data: Data?
    ) -> LarkspurError {
        (error as? LarkspurError ?? SerializationFailure.error("The response could not be serialized", error))
            .filled(request: request, response: response, responseData: response == nil ? nil : data)
    }

    private static func erase<S: ResponseSerializer>(
        _ serializer: S,
        _ parts: ResponseParts
    ) -> sending Result<Any?, LarkspurError> {
        switch run(serializer, request: parts.request, response: parts.response, data: parts.data) {
        case .success(let output): .success(unwrapped(output))
        case .failure(let error): .failure(error)
        }
    }
}

/// The request, the response and the content that are added to errors.
private struct ResponseParts {
    let request: URLRequest?
    let response: ReceivedResponse?
    let data: Data

    func validationFailure(_ validation: ResponseValidation) -> LarkspurError? {
        do {
            try validation.validate(received: response, data: data)
            return nil
        } catch {
            return completed(error)
        }
    }

    func completed(_ error: any Error) -> LarkspurError {
        ResponsePipeline.completed(error, request: request, response: response?.object, data: data)
    }
}

extension LarkspurError {
    /// Adds the object that the serializer created from the body, unless the object is an empty `Optional`.
    fileprivate func with(_ object: sending Any) -> LarkspurError {
        guard let object = unwrapped(object) else { return self }
        var error = self
        error.responseObjectBox = Transferred(object)
        return error
    }

    /// Adds the error of parsing the body. If the members of a compound serializer have also rejected the status, the
    /// error of parsing has more details than this error, and replaces this error.
    fileprivate func with(parseFailure: LarkspurError) -> LarkspurError {
        if parseFailure.code == .unacceptableStatusCode { return parseFailure }
        var error = self
        error.underlyingError = parseFailure
        return error
    }
}
