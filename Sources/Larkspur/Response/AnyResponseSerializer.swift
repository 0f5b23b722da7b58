/// A response serializer whose type is not known at compile time.
public struct AnyResponseSerializer: ResponseSerializer {
    private(set) var base: any ResponseSerializer
    let isSessionDefault: Bool

    /// Wraps a serializer.
    public init(_ base: any ResponseSerializer) {
        self.base = base
        isSessionDefault = false
    }

    fileprivate init() {
        base = DataResponseSerializer()
        isSessionDefault = true
    }

    /// Which responses are acceptable.
    public var validation: ResponseValidation {
        get { base.validation }
        set { base.validation = newValue }
    }

    /// Makes a value of the content of a response; nil where the wrapped serializer's is an empty optional.
    public func serialize(_ data: Data, response: URLResponse?) throws -> sending Any? {
        try Self.serialize(data, response, with: base)
    }

    private static func serialize<Base: ResponseSerializer>(_ data: Data, _ response: URLResponse?, with base: Base)
        throws -> sending Any?
    {
        unwrapped(try base.serialize(data, response: response))
    }
}

extension ResponseSerializer where Self == AnyResponseSerializer {
    /// The `responseSerializer` of the session manager that makes the task.
    public static var sessionDefault: AnyResponseSerializer { AnyResponseSerializer() }
}
