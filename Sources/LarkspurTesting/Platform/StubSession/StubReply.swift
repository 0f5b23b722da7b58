#if canImport(FoundationNetworking)
extension StubURLSession {
    /// What a scripted task receives.
    public struct Reply: Sendable {
        /// The status code; nil if no response arrives.
        public var status: Int?
        /// The fields of the response.
        public var headers: [String: String]
        /// The content, in the pieces in which it is delivered.
        public var chunks: [Data]
        /// How the task ends.
        public var end: End

        /// How a scripted task ends.
        public enum End: Sendable {
            /// Without an error.
            case success
            /// With an error of the transport.
            case failure(any Error)
            /// Not by itself: only by being cancelled.
            case never
        }

        /// A response.
        /// - Parameters:
        ///   - status: The status code. Default: 200.
        ///   - headers: The fields. Default: none.
        ///   - body: The content, delivered in one piece. Default: none.
        public static func respond(status: Int = 200, headers: [String: String] = [:], body: Data = Data()) -> Reply {
            Reply(status: status, headers: headers, chunks: body.isEmpty ? [] : [body], end: .success)
        }

        /// No response, but an error of the transport.
        public static func fail(_ error: any Error) -> Reply {
            Reply(status: nil, headers: [:], chunks: [], end: .failure(error))
        }

        /// Nothing at all, until the task is cancelled.
        public static let hang = Reply(status: nil, headers: [:], chunks: [], end: .never)
    }
}
#endif
