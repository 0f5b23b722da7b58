/// A set of status codes, written as a literal or as ranges.
///
/// ```swift
/// serializer.acceptableStatusCodes = [200, 304]
/// serializer.acceptableStatusCodes = .successful.union([404])
/// serializer.acceptableStatusCodes = StatusCodes(200..<400)
/// ```
///
/// The classes are those of RFC 9110, section 15.
public struct StatusCodes: Hashable, Sendable {
    private var ranges: RangeSet<Int>

    /// Creates a set of the codes of a half-open range.
    /// - Parameter codes: The codes, such as `200..<300`.
    public init(_ codes: Range<Int>) { ranges = RangeSet(codes) }

    /// Creates a set of the codes of a closed range.
    /// - Parameter codes: The codes, such as `200...299`.
    public init(_ codes: ClosedRange<Int>) {
        // Int.max has no successor, but it is not a status code either.
        let end = codes.upperBound == .max ? codes.upperBound : codes.upperBound + 1
        ranges = RangeSet(codes.lowerBound..<end)
    }

    /// Creates a set of single codes.
    /// - Parameter codes: The codes, in any order.
    public init(_ codes: some Sequence<Int>) {
        ranges = RangeSet()
        for code in codes where code < .max { ranges.insert(contentsOf: code..<(code + 1)) }
    }

    /// The codes as ranges in order, of which no two are adjacent.
    var intervals: [Range<Int>] { Array(ranges.ranges) }

    /// Returns whether a code is in the set.
    /// - Parameter code: The status code.
    public func contains(_ code: Int) -> Bool { ranges.contains(code) }

    /// Returns the codes of both sets.
    /// - Parameter other: The other set.
    public func union(_ other: StatusCodes) -> StatusCodes {
        var result = self
        result.ranges.formUnion(other.ranges)
        return result
    }

    /// Returns the codes of this set that are not in another one.
    /// - Parameter other: The other set.
    public func subtracting(_ other: StatusCodes) -> StatusCodes {
        var result = self
        result.ranges.subtract(other.ranges)
        return result
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
    /// treated like these (RFC 9110, section 15).
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
        ranges.ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)...\($0.upperBound - 1)" }
            .joined(separator: ", ")
    }
}
