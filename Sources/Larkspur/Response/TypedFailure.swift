import HTTPSyntax

/// A server's description of a failure, in the format of RFC 9457 (`application/problem+json`).
///
/// ``LarkspurError/problem`` returns it for a response whose status is not acceptable. To decode members that are not
/// in the standard, use ``LarkspurError/failure(as:decoder:)``.
public struct ProblemDetails: Codable, Hashable, Sendable, Error {
    /// The URI reference that identifies the kind of problem. Default: `about:blank`.
    public var type: String
    /// A short summary of the kind of problem; nil if there is none.
    public var title: String?
    /// The status code according to the content; nil if the content does not repeat it.
    public var status: Int?
    /// An explanation of this occurrence; nil if there is none.
    public var detail: String?
    /// The URI reference that identifies this occurrence; nil if there is none.
    public var instance: String?

    /// Creates a description, for tests.
    /// - Parameters:
    ///   - type: The URI reference that identifies the kind of problem. Default: `about:blank`.
    ///   - title: A short summary of the kind of problem. Default: nil.
    ///   - status: The status code. Default: nil.
    ///   - detail: An explanation of this occurrence. Default: nil.
    ///   - instance: The URI reference that identifies this occurrence. Default: nil.
    package init(
        type: String = "about:blank",
        title: String? = nil,
        status: Int? = nil,
        detail: String? = nil,
        instance: String? = nil
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
    }

    /// Decodes a description. A member of the wrong type is ignored, as the standard requires (section 3.1).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = (try? container.decode(String.self, forKey: .type)) ?? "about:blank"
        title = try? container.decode(String.self, forKey: .title)
        status = try? container.decode(Int.self, forKey: .status)
        detail = try? container.decode(String.self, forKey: .detail)
        instance = try? container.decode(String.self, forKey: .instance)
    }
}

extension LarkspurError {
    /// The server's description of the failure; nil if the content is not of the type `application/problem+json`, or
    /// cannot be decoded.
    public var problem: ProblemDetails? {
        guard let response = response as? HTTPURLResponse,
            MediaType.essence(of: response) == "application/problem+json"
        else { return nil }
        return failure(as: ProblemDetails.self)
    }

    /// Decodes the content of a response whose status is not acceptable.
    ///
    ///     do {
    ///         print(try await manager.get("users/1").value(as: User.self).name)
    ///     } catch {
    ///         print(error.failure(as: APIFailure.self)?.reason ?? error.message)
    ///     }
    ///
    /// - Parameters:
    ///   - type: The type that the API uses for failures.
    ///   - decoder: The decoder. Default: a plain `JSONDecoder`.
    /// - Returns: The value; nil if the error has another code than `unacceptableStatusCode`, or its content cannot be
    ///   decoded.
    public func failure<Failure: Decodable>(
        as type: Failure.Type,
        decoder: any DataDecoder = JSONDecoder()
    ) -> Failure? {
        guard code == .unacceptableStatusCode, let responseData, !responseData.isBlankContent else { return nil }
        return try? decoder.decode(Failure.self, from: decoder.preparedContent(responseData))
    }
}

/// The value of a response, or the server's description of a failure. The description need not be an `Error`.
public enum ServerResult<Value, Failure> {
    /// The value of a response with an acceptable status.
    case success(Value)
    /// The server's description of the failure, from a response with another status.
    case failure(Failure)
}

extension ServerResult: Sendable where Value: Sendable, Failure: Sendable {}
extension ServerResult: Equatable where Value: Equatable, Failure: Equatable {}

extension DataResponse {
    /// Returns the same response. If the server describes the failure, the value has that description, and there is no
    /// error.
    func describing<Failure: Decodable>(
        _ type: Failure.Type,
        _ decoder: any DataDecoder
    ) -> DataResponse<ServerResult<Value, Failure>> {
        let outcome: Result<ServerResult<Value, Failure>, LarkspurError>
        switch result {
        case .success(let value): outcome = .success(.success(value))
        case .failure(let error):
            outcome = error.failure(as: type, decoder: decoder).map { .success(.failure($0)) } ?? .failure(error)
        }
        return DataResponse<ServerResult<Value, Failure>>(
            request: request,
            response: response,
            data: data,
            trailers: trailers,
            timeline: timeline,
            result: outcome
        )
    }
}
