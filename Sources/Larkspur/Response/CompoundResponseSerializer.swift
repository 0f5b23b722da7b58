/// A serializer that tries several serializers in order. The result is the object of the first serializer that returns
/// an object.
///
/// Each member validates the response separately. So `[json, xmlParser]` chooses by content type. If the first member
/// that creates an object does not accept the status, the result is the error of that member, and the error contains
/// the object.
///
/// If no member creates an object, the result depends on the errors of the members. If at least one member found no
/// content and has no error, the result is the raw content, as in AFNetworking. If every member fails, this serializer
/// fails, too. Unlike in AFNetworking, its error then has the errors of the members as its `underlyingError`. To get
/// the raw content in this case, too, add ``DataResponseSerializer`` as the last member.
public struct CompoundResponseSerializer: ResponseSerializer {
    /// The rules by which responses are acceptable, in addition to the rules of the members. Default: all responses are
    /// acceptable.
    public var validation: ResponseValidation
    /// The serializers, in the order in which they are tried.
    public var members: [any ResponseSerializer]

    /// Creates a serializer.
    /// - Parameters:
    ///   - members: The serializers, in the order in which they are tried.
    ///   - validation: The rules by which responses are acceptable, in addition to the rules of the members. Default:
    ///     all responses are acceptable.
    public init(_ members: [any ResponseSerializer], validation: ResponseValidation = .anything) {
        self.validation = validation
        self.members = members
    }

    /// The errors of all members of a ``CompoundResponseSerializer``. If every member has failed, this is the
    /// `underlyingError` of the serializer's error.
    package struct MemberErrors: ErrorCollection, Sendable, CustomStringConvertible {
        /// The members' errors, in the order of the members.
        package let errors: [LarkspurError]

        /// The errors' messages in one line.
        package var description: String { errors.map(\.message.withoutFullStop).joined(separator: "; ") }
    }

    /// Serializes the content with the first member that creates an object from it.
    /// - Returns: The object of that member. If no member creates an object, the content, unless every member has
    ///   failed.
    /// - Throws: ``LarkspurError`` with the code `unacceptableStatusCode` if that is the error of every member,
    ///   otherwise `responseSerializationFailed`.
    public func serialize(_ data: Data, response: URLResponse?) throws(LarkspurError) -> sending Any? {
        var errors: [LarkspurError] = []
        for member in members {
            switch ResponsePipeline.runErased(member, request: nil, response: response, data: data) {
            case .success(let object?): return object
            case .success(nil): continue
            case .failure(let error):
                // The member created an object, but its validation rejected the status.
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
    /// Creates a serializer that tries several serializers in order.
    /// - Parameter members: The serializers, in the order in which they are tried.
    public static func compound(_ members: [any ResponseSerializer]) -> CompoundResponseSerializer {
        CompoundResponseSerializer(members)
    }
}
