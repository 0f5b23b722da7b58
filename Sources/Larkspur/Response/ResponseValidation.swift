import HTTPSyntax

/// The rules by which responses are acceptable: status codes and content types.
///
/// Only HTTP responses are checked. An empty body is acceptable with every content type, as in AFNetworking: without
/// content, a wrong or missing type has no effect.
public struct ResponseValidation: Hashable, Sendable {
    /// The acceptable status codes; nil for all. Default: 200 to 299.
    public var acceptableStatusCodes: StatusCodes?
    /// The acceptable media types; nil to accept all content, also content without a type. Default: nil.
    public var acceptableContentTypes: Set<MediaRange>?

    /// Creates a validation.
    /// - Parameters:
    ///   - acceptableStatusCodes: The acceptable status codes, or nil for all. Default: 200 to 299.
    ///   - acceptableContentTypes: The acceptable media types, or nil for all. Default: nil.
    public init(
        acceptableStatusCodes: StatusCodes? = .successful,
        acceptableContentTypes: Set<MediaRange>? = nil
    ) {
        self.acceptableStatusCodes = acceptableStatusCodes
        self.acceptableContentTypes = acceptableContentTypes
    }

    /// The validation that accepts every response.
    public static let anything = ResponseValidation(acceptableStatusCodes: nil, acceptableContentTypes: nil)

    /// Checks a response.
    /// - Parameters:
    ///   - response: The response. A response that is not an `HTTPURLResponse` is acceptable.
    ///   - data: The content of the response.
    /// - Throws: ``LarkspurError`` with the code `unacceptableStatusCode` or `unacceptableContentType`. If both apply,
    ///   the second is the `underlyingError` of the first. The error contains the response and its content. The error's
    ///   message contains the status. If the content is JSON or XML with a known member or element for error messages,
    ///   it also contains the first 160 characters of the server's message.
    public func validate(_ response: URLResponse?, data: Data) throws(LarkspurError) {
        guard let response = response as? HTTPURLResponse else { return }
        let contentTypeError = contentTypeError(response, data: data)
        if let acceptableStatusCodes, !acceptableStatusCodes.contains(response.statusCode) {
            let phrase = HTTPURLResponse.localizedString(forStatusCode: response.statusCode)
            let words = ServerMessage.find(in: data, of: response)
            throw LarkspurError(
                .unacceptableStatusCode,
                "Request failed: \(phrase) (\(response.statusCode))" + (words.map { ": \($0)" } ?? ""),
                underlyingError: contentTypeError,
                response: response,
                responseData: data
            )
        }
        if let contentTypeError { throw contentTypeError }
    }

    /// Checks a response. The response's object is created only if the response is not acceptable, or if a quick check
    /// is not enough.
    func validate(received response: ReceivedResponse?, data: Data) throws(LarkspurError) {
        guard let response, let status = response.statusCode else { return }
        if acceptableStatusCodes?.contains(status) != false, acceptsAtOnce(response, data) { return }
        try validate(response.object, data: data)
    }

    private func acceptsAtOnce(_ response: ReceivedResponse, _ data: Data) -> Bool {
        guard let acceptableContentTypes, !data.isEmpty else { return true }
        return response.typeOfField.map { acceptableContentTypes.contains(MediaRange(essence: $0)) } ?? false
    }

    private func contentTypeError(_ response: HTTPURLResponse, data: Data) -> LarkspurError? {
        guard let acceptableContentTypes, !data.isEmpty else { return nil }
        let essence = MediaType.essence(of: response)
        // An exact match, the usual case, is found without a search through the set.
        if let essence, acceptableContentTypes.contains(MediaRange(essence: essence)) { return nil }
        if let essence, acceptableContentTypes.contains(where: { $0.matches(essence: essence) }) { return nil }
        let accepted = acceptableContentTypes.map(\.description).sorted().joined(separator: ", ")
        return LarkspurError(
            .unacceptableContentType,
            "Request failed: unacceptable content-type: \((essence ?? "none").excerpt); "
                + "accepted: \(accepted.isEmpty ? "none" : accepted)",
            response: response,
            responseData: data
        )
    }
}

/// A set of status codes, written as a literal or as ranges.
///
/// ```swift
/// serializer.acceptableStatusCodes = [200, 304]
/// serializer.acceptableStatusCodes = .successful.union([404])
/// serializer.acceptableStatusCodes = StatusCodes(200..<400)
/// ```
///
/// The classes of codes are defined in RFC 9110, section 15.
public struct StatusCodes: Hashable, Sendable {
    /// The codes as sorted ranges that do not touch each other. The type is not `RangeSet`, because the size of a
    /// `RangeSet`, and of every type that contains one, is known only at run time.
    let intervals: [Range<Int>]

    /// Creates a set of the codes of a half-open range.
    /// - Parameter codes: The codes, such as `200..<300`.
    public init(_ codes: Range<Int>) { intervals = codes.isEmpty ? [] : [codes] }

    /// Creates a set of the codes of a closed range.
    /// - Parameter codes: The codes, such as `200...299`.
    public init(_ codes: ClosedRange<Int>) {
        // Int.max has no successor, and is not a status code, so it is omitted.
        let end = codes.upperBound == .max ? codes.upperBound : codes.upperBound + 1
        self.init(RangeSet(codes.lowerBound..<end))
    }

    /// Creates a set of single codes.
    /// - Parameter codes: The codes, in any order.
    public init(_ codes: some Sequence<Int>) {
        var ranges = RangeSet<Int>()
        for code in codes where code < .max { ranges.insert(contentsOf: code..<(code + 1)) }
        self.init(ranges)
    }

    private init(_ ranges: RangeSet<Int>) { intervals = Array(ranges.ranges) }

    private var ranges: RangeSet<Int> { RangeSet(intervals) }

    /// Returns whether a code is in the set.
    /// - Parameter code: The status code.
    public func contains(_ code: Int) -> Bool { intervals.contains { $0.contains(code) } }

    /// Returns the codes of both sets.
    /// - Parameter other: The other set.
    public func union(_ other: StatusCodes) -> StatusCodes {
        StatusCodes(ranges.union(other.ranges))
    }

    /// Returns the codes of this set that are not in another set.
    /// - Parameter other: The other set.
    package func subtracting(_ other: StatusCodes) -> StatusCodes {
        StatusCodes(ranges.subtracting(other.ranges))
    }

    /// 100 to 199: the request was received, and its processing continues.
    public static let informational = StatusCodes(100..<200)
    /// 200 to 299: the request was received, understood and accepted.
    public static let successful = StatusCodes(200..<300)
    /// 300 to 399: further action is needed to complete the request.
    public static let redirection = StatusCodes(300..<400)
    /// 400 to 499: the request is wrong or cannot be fulfilled.
    public static let clientError = StatusCodes(400..<500)
    /// 500 to 999: the server failed to fulfil an apparently valid request. Codes above 599 are not assigned, and are
    /// treated as server errors (RFC 9110, section 15).
    public static let serverError = StatusCodes(500..<1000)
}

extension StatusCodes: ExpressibleByArrayLiteral {
    /// Creates a set of single codes from a literal such as `[200, 304]`.
    public init(arrayLiteral elements: Int...) { self.init(elements) }
}

extension StatusCodes: ExpressibleByIntegerLiteral {
    /// Creates a set of one code from a literal.
    public init(integerLiteral value: Int) { self.init(CollectionOfOne(value)) }
}

extension StatusCodes: CustomStringConvertible {
    /// The codes as ranges, such as `200...299, 304`.
    public var description: String {
        intervals.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)...\($0.upperBound - 1)" }
            .joined(separator: ", ")
    }
}
