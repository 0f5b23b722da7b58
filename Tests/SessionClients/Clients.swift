#if canImport(FoundationNetworking)
public import Foundation
public import FoundationNetworking

/// A client in the shape of those that decode JSON, with one method for all requests.
public actor JSONClient {
    /// An answer that is not a success.
    public struct UnacceptableStatus: Error {
        /// The status code.
        public let code: Int
    }

    private let session: URLSession
    private let base: URL

    /// Makes a client for the paths below a URL.
    public init(base: URL, session: URLSession) {
        self.base = base
        self.session = session
    }

    /// Sends a request and decodes the content of the response.
    public func send<Value: Decodable>(_ path: String, method: String = "GET", body: Data? = nil) async throws -> Value
    {
        var request = URLRequest(url: base.appendingPathComponent(path))
        request.httpMethod = method
        request.httpBody = body
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        let (data, response) = try await session.data(for: request, delegate: nil)
        let code = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard 200..<300 ~= code else { throw UnacceptableStatus(code: code) }
        return try JSONDecoder().decode(Value.self, from: data)
    }
}

/// A transport in the shape of those that generated clients use: it buffers the body and chooses the method by it.
public struct BufferingTransport: Sendable {
    private let session: URLSession

    /// Makes a transport on a session.
    public init(session: URLSession) { self.session = session }

    /// Sends a request and returns status, fields and content.
    public func send(_ request: URLRequest, body: Data?) async throws -> (Int, [String: String], Data) {
        let (data, response) =
            if let body {
                try await session.upload(for: request, from: body)
            } else {
                try await session.data(for: request)
            }
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        let fields = response.allHeaderFields.map { ("\($0.key)".lowercased(), "\($0.value)") }
        return (response.statusCode, Dictionary(fields) { first, _ in first }, data)
    }

    /// Sends a request and gives it up after some time, as a race between two Swift tasks.
    public func send(_ request: URLRequest, within limit: Duration) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask { try await session.data(for: request).0.count }
            group.addTask {
                try await Task.sleep(for: limit)
                throw URLError(.timedOut)
            }
            defer { group.cancelAll() }
            return try await group.next() ?? 0
        }
    }
}
#endif
