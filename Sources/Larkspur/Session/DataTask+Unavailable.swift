/// Calls without closures that a program may try but that do not exist. The compiler's message says what to write
/// instead.
extension SessionManager {
    /// Not available: pass a ``JSONValue`` as `body`, or a `[String: Any]` as `parameters`.
    @available(*, unavailable, message: "Write `as JSONValue` after the literal, or use `parameters:`.")
    public func request(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: [String: Any]?,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil
    ) -> DataTask { request(.get, url) }

    /// Not available: pass a ``JSONValue`` as `body`, or a `[String: Any]` as `parameters`.
    @available(*, unavailable, message: "Write `as JSONValue` after the literal, or use `parameters:`.")
    public func post(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: [String: Any]?,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil
    ) -> DataTask { request(.get, url) }

    /// Not available: pass a ``JSONValue`` as `body`, or a `[String: Any]` as `parameters`.
    @available(*, unavailable, message: "Write `as JSONValue` after the literal, or use `parameters:`.")
    public func put(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: [String: Any]?,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil
    ) -> DataTask { request(.get, url) }

    /// Not available: pass a ``JSONValue`` as `body`, or a `[String: Any]` as `parameters`.
    @available(*, unavailable, message: "Write `as JSONValue` after the literal, or use `parameters:`.")
    public func patch(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: [String: Any]?,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil
    ) -> DataTask { request(.get, url) }

    /// Not available: pass a ``JSONValue`` as `body`, or a `[String: Any]` as `parameters`.
    @available(*, unavailable, message: "Write `as JSONValue` after the literal, or use `parameters:`.")
    public func delete(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        body: [String: Any]?,
        encoder: (any DataEncoder)? = nil,
        headers: HTTPHeaders? = nil,
        hooks: SessionHooks? = nil
    ) -> DataTask { request(.get, url) }
}

/// Methods that programs for Alamofire call.
extension DataTask {
    /// Not available: await a value.
    @available(*, unavailable, message: "Write `try await task.value(as: User.self)`, or `response(as:)`.")
    public func serializingDecodable<T: Decodable>(_ type: T.Type = T.self) -> DataTask { self }

    /// Not available: see ``string``.
    @available(*, unavailable, message: "Write `try await task.string`.")
    public func serializingString() -> DataTask { self }

    /// Not available: see ``data``.
    @available(*, unavailable, message: "Write `try await task.data`.")
    public func serializingData() -> DataTask { self }
}
