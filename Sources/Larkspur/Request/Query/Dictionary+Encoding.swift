import HTTPSyntax

extension [String: Any] {
    /// Creates parameters from a value, for a query or a form.
    ///
    /// ```swift
    /// try manager.get("users", parameters: [String: Any](encoding: filter)) { _, users in
    ///     print(users ?? "none")
    /// }
    /// ```
    ///
    /// Nested values become dictionaries and arrays. Dates, data and numbers keep their types, so that the request
    /// serializer writes them in its styles. An optional property that is nil is omitted.
    /// - Parameter value: A value with named properties, or another value that encodes itself as names and values.
    /// - Throws: ``LarkspurError`` with the code `parameterEncodingFailed`: for a value that has no names, a number
    ///   that is infinite or not a number, nesting deeper than 64 levels, or an error that an `encode(to:)` threw.
    public init(encoding value: some Encodable) throws(LarkspurError) {
        var encoder = QueryEncoder()
        // This style is the only one that accepts every date. The text of the date is discarded below.
        encoder.dateStyle = .secondsSince1970
        let component = try QueryComponentBuilder(encoder: encoder).component(of: value, at: [], depth: 0)
        guard let dictionary = component.object as? [String: Any] else {
            throw LarkspurError(
                .parameterEncodingFailed,
                "A value of the type \(type(of: value)) has no names, so that no dictionary can be made of it."
            )
        }
        self = dictionary
    }
}

extension QueryComponent {
    /// The values of the tree, in the types of parameters.
    fileprivate var object: Any {
        switch self {
        case .null: return NSNull()
        case .text(_, let value): return value
        case .array(let elements): return elements.map(\.object)
        case .set(let members):
            let objects = members.map(\.object)
            let hashable = objects.compactMap { $0 as? AnyHashable }
            // `[String: Any]` and `[Any]` are not hashable. If a member has such a type, the result is an array.
            return hashable.count == objects.count ? Set(hashable) : objects
        case .object(let fields): return Dictionary(fields.map { ($0.key, $0.value.object) }, uniquingKeysWith: { $1 })
        }
    }
}
