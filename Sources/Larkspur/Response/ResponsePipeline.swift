/// The way of a response's content through a serializer: validate, serialize, and put together what went wrong.
///
/// Pure: no queue, no I/O, no state. Nothing is thrown away: where the status is unacceptable, the error keeps what the
/// serializer made of the body, or why it could make nothing of it.
enum ResponsePipeline {
    /// Validates a response and serializes its content.
    /// - Returns: What the serializer made of it; or the failure, with request, response and content filled in.
    @_specialize(where S == AnyResponseSerializer)
    static func run<S: ResponseSerializer>(
        _ serializer: S,
        request: URLRequest?,
        response: URLResponse?,
        data: Data
    ) -> sending Result<S.Output, LarkspurError> {
        let exchange = Exchange(request: request, response: response, data: data)
        guard let invalid = exchange.validationFailure(serializer.validation) else {
            do {
                return .success(try serializer.serialize(data, response: response))
            } catch {
                return .failure(exchange.completed(error))
            }
        }
        if invalid.contains(.unacceptableContentType) { return .failure(invalid) }
        do {
            return .failure(invalid.with(try serializer.serialize(data, response: response)))
        } catch {
            return .failure(invalid.with(parseFailure: exchange.completed(error)))
        }
    }

    /// As `run`, for a serializer whose type is not known: the value as `Any`, nil where it is an empty `Optional`.
    static func runErased(
        _ serializer: any ResponseSerializer,
        request: URLRequest?,
        response: URLResponse?,
        data: Data
    ) -> sending Result<Any?, LarkspurError> {
        erase(serializer, Exchange(request: request, response: response, data: data))
    }

    /// An error as a `LarkspurError`, with request, response and content where it lacks them.
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
        _ exchange: Exchange
    ) -> sending Result<Any?, LarkspurError> {
        switch run(serializer, request: exchange.request, response: exchange.response, data: exchange.data) {
        case .success(let output): .success(unwrapped(output))
        case .failure(let error): .failure(error)
        }
    }
}

/// What is known of a request and its response, to be noted in errors.
private struct Exchange {
    let request: URLRequest?
    let response: URLResponse?
    let data: Data

    func validationFailure(_ validation: ResponseValidation) -> LarkspurError? {
        do {
            try validation.validate(response, data: data)
            return nil
        } catch {
            return completed(error)
        }
    }

    func completed(_ error: any Error) -> LarkspurError {
        ResponsePipeline.completed(error, request: request, response: response, data: data)
    }
}

extension LarkspurError {
    /// Adds what the serializer made of the body, unless that is an empty `Optional`.
    fileprivate func with(_ object: sending Any) -> LarkspurError {
        guard let object = unwrapped(object) else { return self }
        var error = self
        error.responseObjectBox = Transferred(object)
        return error
    }

    /// Adds why the body could not be parsed. A serializer of serializers has found the status unacceptable by itself
    /// and says more.
    fileprivate func with(parseFailure: LarkspurError) -> LarkspurError {
        if parseFailure.code == .unacceptableStatusCode { return parseFailure }
        var error = self
        error.underlyingError = parseFailure
        return error
    }
}
