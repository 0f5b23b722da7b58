internal import Foundation
internal import HTTPSyntax

extension LoopbackServer {
    /// Adds a route that opens WebSocket connections (RFC 6455).
    ///
    /// The route has the method GET. A GET that does not request a WebSocket of version 13 gets a 426. If its key is
    /// missing or malformed, it gets a 400. Opening requests are recorded like all other requests. The server supports
    /// no extensions, so it never compresses messages.
    ///
    /// - Parameters:
    ///   - path: The path. `{name}` stands for any one segment (``Request/parameters``), and `*` as the last segment
    ///     for all that follows; `*` alone stands for every target.
    ///   - protocols: The subprotocols that the server supports. The server chooses the first of the client's
    ///     subprotocols that is in this list. If none of them is in the list, the server chooses no subprotocol.
    ///     Default: none.
    ///   - maximumMessageSize: The largest message of a client, in bytes. A larger message is a failure with the code
    ///     1009. Default: 16 MiB.
    ///   - handler: Receives and sends. Called on the thread of the connection, concurrently for several connections.
    ///     When it returns, the connection ends (``WebSocket/ending``). If it throws, the server sends a close frame
    ///     with the code 1011.
    public func webSocket(
        _ path: String,
        protocols: [String] = [],
        maximumMessageSize: Int = 16 << 20,
        handler: @escaping @Sendable (WebSocket) throws -> Void
    ) {
        add(path, WebSocketRoute(protocols: protocols, maximumMessageSize: maximumMessageSize, handler: handler))
    }

    /// Adds a route that opens WebSocket connections with a fault.
    ///
    /// - Parameters:
    ///   - path: The path. `{name}` stands for any one segment (``Request/parameters``), and `*` as the last segment
    ///     for all that follows; `*` alone stands for every target.
    ///   - fault: The fault.
    public func webSocket(_ path: String, fault: WebSocketFault) {
        add(path, WebSocketRoute(fault: fault))
    }

    private func add(_ path: String, _ route: WebSocketRoute) {
        router.add(Route(path, methods: ["GET"], answer: .webSocket(route)))
    }
}

/// The response of a route to an opening request of WebSocket.
struct WebSocketRoute: Sendable {
    typealias Handler = @Sendable (LoopbackServer.WebSocket) throws -> Void

    enum Opening: Sendable {
        /// The connection is not opened.
        case refusal(LoopbackServer.Response)
        /// The connection is opened with this response, and handled.
        case acceptance(SentHead, subprotocol: String?)
    }

    /// The subprotocols that the server supports; nil to support every subprotocol that a client offers.
    var protocols: [String]?
    var maximumMessageSize = 16 << 20
    /// The fault of the opening response or of the connection; nil for none.
    var fault: LoopbackServer.WebSocketFault?
    let handler: Handler

    init(protocols: [String]?, maximumMessageSize: Int = 16 << 20, handler: @escaping Handler) {
        self.protocols = protocols
        self.maximumMessageSize = maximumMessageSize
        self.handler = handler
    }

    init(fault: LoopbackServer.WebSocketFault) {
        self.fault = fault
        handler = { try fault.run(on: $0) }
    }

    /// Returns the response to a request.
    func opening(_ request: LoopbackServer.Request) -> Opening {
        if fault == .refusal { return .refusal(.text(LoopbackServer.WebSocketFault.refusalBody, status: 403)) }
        do {
            let fields = request.headers.map { (name: $0.name, value: $0.value) }
            return accept(try WebSocketRequest(method: request.method, fields: fields))
        } catch {
            var response = LoopbackServer.Response.text(error.sentence + "\n", status: error.status)
            if error.status == 426 {
                response.headers["Upgrade"] = "websocket"
                response.headers["Connection"] = "Upgrade"
                response.headers["Sec-WebSocket-Version"] = "13"
            }
            return .refusal(response)
        }
    }

    private func accept(_ opening: WebSocketRequest) -> Opening {
        let subprotocol = opening.protocols.first { protocols?.contains($0) ?? true }
        var fields: LoopbackServer.Fields = [:]
        for field in opening.responseFields(subprotocol: subprotocol) { fields.append(field.name, field.value) }
        fault?.change(&fields)
        return .acceptance(SentHead(status: 101, reason: nil, fields: fields), subprotocol: subprotocol)
    }
}
