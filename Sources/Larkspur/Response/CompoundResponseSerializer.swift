/// Tries several serializers in order: the first that makes an object of the response wins.
///
/// Each member validates the response by itself, so that `[json, xmlParser]` picks by content type. Where the winner
/// finds the status unacceptable, its error is the result and holds the object. Where no member finds anything to parse
/// in it (an empty body), the result is the raw content, as in AFNetworking. Where every member fails, so does this,
/// and unlike in AFNetworking the members' errors are kept (``MemberErrors``); add ``DataResponseSerializer`` as the
/// last member to have the raw content then too.
public struct CompoundResponseSerializer: ResponseSerializer {
    /// Which responses are acceptable besides what the members accept. Default: all.
    public var validation: ResponseValidation
    /// The serializers, in the order in which they are tried.
    public var members: [any ResponseSerializer]

    /// Makes a serializer.
    /// - Parameters:
    ///   - members: The serializers, in the order in which they are tried.
    ///   - validation: Which responses are acceptable besides what the members accept. Default: all.
    public init(_ members: [any ResponseSerializer], validation: ResponseValidation = .anything) {
        self.validation = validation
        self.members = members
    }

    /// Why every member of a ``CompoundResponseSerializer`` failed: the error underneath its own.
    public struct MemberErrors: Error, Sendable, CustomStringConvertible {
        /// The members' errors, in the order of the members.
        public let errors: [LarkspurError]

        /// The errors' messages in one line.
        public var description: String { errors.map(\.message.withoutFullStop).joined(separator: "; ") }
    }

    /// Serializes the content by the first member that can.
    /// - Returns: What the first member that made an object of it made; the content where none found an object in it,
    ///   or there are no members.
    /// - Throws: ``LarkspurError`` with the code `unacceptableStatusCode` where that is what every member found, else
    ///   `responseSerializationFailed`.
    public func serialize(_ data: Data, response: URLResponse?) throws(LarkspurError) -> sending Any? {
        var errors: [LarkspurError] = []
        for member in members {
            switch ResponsePipeline.runErased(member, request: nil, response: response, data: data) {
            case .success(let object?): return object
            case .success(nil): continue
            case .failure(let error):
                if error.responseObjectBox != nil { throw error }
                errors.append(error)
            }
        }
        if errors.isEmpty || errors.count < members.count { return data }
        throw Self.failure(errors)
    }

    private static func failure(_ errors: [LarkspurError]) -> LarkspurError {
        let underlying = MemberErrors(errors: errors)
        if let first = errors.first, errors.allSatisfy({ $0.code == .unacceptableStatusCode }) {
            return LarkspurError(.unacceptableStatusCode, first.message, underlyingError: underlying)
        }
        return LarkspurError(
            .responseSerializationFailed,
            "None of \(errors.count) serializers can read the response: \(underlying)",
            underlyingError: underlying
        )
    }
}

extension ResponseSerializer where Self == CompoundResponseSerializer {
    /// Tries several serializers in order.
    /// - Parameter members: The serializers, in the order in which they are tried.
    public static func compound(_ members: [any ResponseSerializer]) -> CompoundResponseSerializer {
        CompoundResponseSerializer(members)
    }
}
