#if canImport(FoundationNetworking)
extension StubURLSession {
    /// The reply that a scripted task receives.
    public struct Reply: Sendable {
        /// The status code; nil if no response arrives.
        public var status: Int?
        /// The fields of the response.
        public var headers: [String: String]
        /// The pieces of the content, in the order of their delivery.
        public var chunks: [Data]
        /// The end of the task.
        public var end: End

        /// The end of a scripted task.
        public enum End: Sendable {
            /// The task succeeds.
            case success
            /// The task fails with an error of the transport.
            case failure(any Error)
            /// The task does not end until it is cancelled.
            case never
        }

        /// Returns a reply with a response.
        /// - Parameters:
        ///   - status: The status code. Default: 200.
        ///   - headers: The fields. Default: none.
        ///   - body: The content, which is delivered in one piece. Default: none.
        public static func respond(status: Int = 200, headers: [String: String] = [:], body: Data = Data()) -> Reply {
            Reply(status: status, headers: headers, chunks: body.isEmpty ? [] : [body], end: .success)
        }

        /// Returns a reply without a response, which ends with an error of the transport.
        public static func fail(_ error: any Error) -> Reply {
            Reply(status: nil, headers: [:], chunks: [], end: .failure(error))
        }

        /// A reply without a response and without an end: the task waits until it is cancelled.
        public static let hang = Reply(status: nil, headers: [:], chunks: [], end: .never)
    }
}
#endif
