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

    /// The rules by which responses are acceptable.
    public var validation: ResponseValidation {
        get { base.validation }
        set { base.validation = newValue }
    }

    /// Converts the content of a response into a value; nil if the wrapped serializer's value is an empty optional.
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
    /// A placeholder for the `responseSerializer` of the session manager that creates the task.
    public static var sessionDefault: AnyResponseSerializer { AnyResponseSerializer() }
}
