internal import HTTPSyntax

/// A request target whose interpolated values are percent-encoded, so that they cannot change the rest of the URL.
///
/// In `.path`, each interpolated value is one segment of a path, a part of one, or one value of a query:
///
/// ```swift
/// let user = try await manager.get(.path("users/\(id)")).value(as: User.self)
/// ```
///
/// All characters of a value that separate parts of a URL are percent-encoded: `../admin` becomes `..%2Fadmin`. When
/// the call is sent, a value ends it with an error of the code `invalidURL`, if the value is empty in the path, makes a
/// segment `.` or `..`, or takes part in the scheme, the user information, the host or the port. The text around the
/// values is the program's own, and is read like a string.
///
/// `.template` expands a URI template. A call takes both forms where it takes a URL. A ``RequestTarget`` of your own
/// can use them, too: `try PathTarget("users/\(id)").requestURL(relativeTo: base)`.
public struct PathTarget: RequestTarget, ExpressibleByStringInterpolation {
    /// The text of a ``PathTarget`` while the compiler assembles it.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var reference = AssembledReference()

        /// Creates an empty text. The sizes are not used.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Appends text of the program.
        public mutating func appendLiteral(_ literal: String) { reference.append(literal: literal) }

        /// Appends a text, a number, a Boolean value (`true` or `false`), or another value with a lossless description,
        /// percent-encoded.
        public mutating func appendInterpolation(_ value: some LosslessStringConvertible) { append(value.description) }

        /// Appends the raw value of an enumeration, or of another type, percent-encoded.
        public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
        where Value.RawValue: LosslessStringConvertible { append(value.rawValue.description) }

        /// Appends a UUID in uppercase.
        public mutating func appendInterpolation(_ value: UUID) { append(value.uuidString) }

        /// Appends the raw value of a type of identifiers, a UUID in uppercase.
        public mutating func appendInterpolation<Value: RawRepresentable<UUID>>(_ value: Value) {
            append(value.rawValue.uuidString)
        }

        /// Not available: the description of an optional, an array or a date is no part of a URL.
        @available(
            *,
            unavailable,
            message:
                "a value in a path is a text, a number, a Boolean value, a UUID, or has such a raw value. Unwrap an optional first."
        )
        public mutating func appendInterpolation<Value>(_ value: Value) {}

        private mutating func append(_ text: String) {
            reference.append(
                value: PercentEncoding.escapingAll(text, unless: PercentEncoding.isUnreserved),
                mayBeEmpty: false
            )
        }
    }

    /// The reference, or the error of a template.
    let reference: Result<AssembledReference, LarkspurError>
    /// The expressions of a template, each of which is a value of the reference; nil without a template.
    private let expressions: [String]?

    init(_ reference: Result<AssembledReference, LarkspurError>, expressions: [String]? = nil) {
        self.reference = reference
        self.expressions = expressions
    }

    /// Creates a target without values, which is the same as a string.
    public init(stringLiteral value: String) {
        var interpolation = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        interpolation.appendLiteral(value)
        self.init(stringInterpolation: interpolation)
    }

    /// Creates a target from text and values.
    public init(stringInterpolation: StringInterpolation) { self.init(.success(stringInterpolation.reference)) }

    /// Resolves the text with its values against a base URL, like a string.
    /// - Throws: ``LarkspurError`` with the code `invalidURL`, if a value leads elsewhere, or if the text or the
    ///   template is not valid; with the code `parameterEncodingFailed`, if a value of a template has no text.
    public func requestURL(relativeTo base: URL?) throws(LarkspurError) -> URL {
        let reference = try reference.get()
        let text: String
        do throws(AssembledReference.Defect) {
            text = try reference.checked()
        } catch {
            throw LarkspurError(.invalidURL, message(of: error, in: BaseURL.excerpt(of: reference.text)))
        }
        return try BaseURL.resolve(text, against: base)
    }

    private func message(of defect: AssembledReference.Defect, in text: String) -> String {
        let value = expressions?[defect.index] ?? "value \(defect.index + 1)"
        return switch defect.kind {
        case .changesOrigin:
            "In “\(text)”, \(value) takes part in the scheme, the host or the port: write them as text, or pass a URL."
        case .dotSegment: "In “\(text)”, \(value) makes a segment of the path “.” or “..”, which leads to another path."
        case .emptyValue: "In “\(text)”, \(value) is empty, which leads to another path."
        }
    }
}

extension RequestTarget where Self == PathTarget {
    /// A target in which each interpolated value is one segment of a path, a part of one, or one value of a query.
    ///
    /// A value that is empty in the path, that makes a segment `.` or `..`, or that takes part in the scheme, the host
    /// or the port, ends the call with an error of the code `invalidURL`.
    /// - Parameter target: The path, such as `"users/\(id)"`. It may also be a whole URL.
    public static func path(_ target: PathTarget) -> PathTarget { target }
}
