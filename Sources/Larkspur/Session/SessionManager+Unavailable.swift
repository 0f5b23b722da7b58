/// Calls that a program may try but that do not exist. The compiler's message says what to write instead.
extension SessionManager {
    /// Not available: pass an `Encodable` value as `body`, or convert it with `[String: Any](encoding:)`.
    @available(*, unavailable, message: "Use `body:`, or for a query or form: try [String: Any](encoding: value).")
    public func request<P: Encodable, S: ResponseSerializer>(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        parameters: P,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass an `Encodable` value as `body`, or convert it with `[String: Any](encoding:)`.
    @available(*, unavailable, message: "Use `body:`, or for a query or form: try [String: Any](encoding: value).")
    public func request<P: Encodable, T: Decodable & Sendable>(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        parameters: P,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: convert an `Encodable` value with `[String: Any](encoding:)`.
    @available(*, unavailable, message: "For a query: try [String: Any](encoding: value).")
    public func get<P: Encodable, S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: P,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: convert an `Encodable` value with `[String: Any](encoding:)`.
    @available(*, unavailable, message: "For a query: try [String: Any](encoding: value).")
    public func get<P: Encodable, T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: P,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: convert an `Encodable` value with `[String: Any](encoding:)`.
    @available(*, unavailable, message: "For a query: try [String: Any](encoding: value).")
    public func head<P: Encodable>(
        _ url: any RequestTarget,
        parameters: P,
        headers: HTTPHeaders? = nil,
        success: @escaping @Sendable (DataTask) -> Void,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass an `Encodable` value as `body`, or convert it with `[String: Any](encoding:)`.
    @available(*, unavailable, message: "Use `body:`, or for a query or form: try [String: Any](encoding: value).")
    public func post<P: Encodable, S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: P,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass an `Encodable` value as `body`, or convert it with `[String: Any](encoding:)`.
    @available(*, unavailable, message: "Use `body:`, or for a query or form: try [String: Any](encoding: value).")
    public func post<P: Encodable, T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: P,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass an `Encodable` value as `body`, or convert it with `[String: Any](encoding:)`.
    @available(*, unavailable, message: "Use `body:`, or for a query or form: try [String: Any](encoding: value).")
    public func put<P: Encodable, S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: P,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass an `Encodable` value as `body`, or convert it with `[String: Any](encoding:)`.
    @available(*, unavailable, message: "Use `body:`, or for a query or form: try [String: Any](encoding: value).")
    public func put<P: Encodable, T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: P,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass an `Encodable` value as `body`, or convert it with `[String: Any](encoding:)`.
    @available(*, unavailable, message: "Use `body:`, or for a query or form: try [String: Any](encoding: value).")
    public func patch<P: Encodable, S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: P,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass an `Encodable` value as `body`, or convert it with `[String: Any](encoding:)`.
    @available(*, unavailable, message: "Use `body:`, or for a query or form: try [String: Any](encoding: value).")
    public func patch<P: Encodable, T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: P,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass an `Encodable` value as `body`, or convert it with `[String: Any](encoding:)`.
    @available(*, unavailable, message: "Use `body:`, or for a query or form: try [String: Any](encoding: value).")
    public func delete<P: Encodable, S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: P,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass an `Encodable` value as `body`, or convert it with `[String: Any](encoding:)`.
    @available(*, unavailable, message: "Use `body:`, or for a query or form: try [String: Any](encoding: value).")
    public func delete<P: Encodable, T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: P,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: a GET has no content.
    @available(
        *,
        unavailable,
        message: "A GET has no body: give `parameters:` for the query. To send one: request(.get, url, body: value)."
    )
    public func get<S: ResponseSerializer>(
        _ url: any RequestTarget,
        body: any Encodable,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass a ``JSONValue`` as `body`, or a `[String: Any]` as `parameters`.
    @available(*, unavailable, message: "Write `as JSONValue` after the literal, or use `parameters:`.")
    public func request<S: ResponseSerializer>(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: [String: Any]?,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass a ``JSONValue`` as `body`, or a `[String: Any]` as `parameters`.
    @available(*, unavailable, message: "Write `as JSONValue` after the literal, or use `parameters:`.")
    public func request<T: Decodable & Sendable>(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: [String: Any]?,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass a ``JSONValue`` as `body`, or a `[String: Any]` as `parameters`.
    @available(*, unavailable, message: "Write `as JSONValue` after the literal, or use `parameters:`.")
    public func post<S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: [String: Any]?,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass a ``JSONValue`` as `body`, or a `[String: Any]` as `parameters`.
    @available(*, unavailable, message: "Write `as JSONValue` after the literal, or use `parameters:`.")
    public func post<T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: [String: Any]?,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass a ``JSONValue`` as `body`, or a `[String: Any]` as `parameters`.
    @available(*, unavailable, message: "Write `as JSONValue` after the literal, or use `parameters:`.")
    public func put<S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: [String: Any]?,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass a ``JSONValue`` as `body`, or a `[String: Any]` as `parameters`.
    @available(*, unavailable, message: "Write `as JSONValue` after the literal, or use `parameters:`.")
    public func put<T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: [String: Any]?,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass a ``JSONValue`` as `body`, or a `[String: Any]` as `parameters`.
    @available(*, unavailable, message: "Write `as JSONValue` after the literal, or use `parameters:`.")
    public func patch<S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: [String: Any]?,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass a ``JSONValue`` as `body`, or a `[String: Any]` as `parameters`.
    @available(*, unavailable, message: "Write `as JSONValue` after the literal, or use `parameters:`.")
    public func patch<T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: [String: Any]?,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        progress: ProgressHandler? = nil,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass a ``JSONValue`` as `body`, or a `[String: Any]` as `parameters`.
    @available(*, unavailable, message: "Write `as JSONValue` after the literal, or use `parameters:`.")
    public func delete<S: ResponseSerializer>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: [String: Any]?,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        serializer: S = AnyResponseSerializer.sessionDefault,
        success: @escaping SuccessHandler<S.Output>,
        failure: FailureHandler? = nil
    ) {}

    /// Not available: pass a ``JSONValue`` as `body`, or a `[String: Any]` as `parameters`.
    @available(*, unavailable, message: "Write `as JSONValue` after the literal, or use `parameters:`.")
    public func delete<T: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: [String: Any]?,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        as type: T.Type,
        success: @escaping SuccessHandler<T>,
        failure: FailureHandler? = nil
    ) {}
}
