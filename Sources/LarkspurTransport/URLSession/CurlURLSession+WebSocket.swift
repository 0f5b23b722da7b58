#if canImport(FoundationNetworking)
package import HTTPSyntax

/// WebSockets of the engine.
extension CurlURLSession {
    /// Creates a WebSocket.
    ///
    /// - Parameters:
    ///   - url: The URL of the server, with the scheme ws, wss, http or https.
    ///   - options: The settings. Default: the settings of ``WebSocketOptions/init()``.
    /// - Returns: A task. Its handshake begins with ``WebSocketTask/resume()``, or with the first method that needs the
    ///   connection. These methods are ``WebSocketTask/open()``, and the methods for sending, receiving and pings.
    public func webSocket(with url: URL, options: WebSocketOptions = .init()) -> WebSocketTask {
        webSocket(with: URLRequest(url: url), options: options)
    }

    /// Creates a WebSocket whose handshake has the fields and the timeout of a request.
    ///
    /// - Parameters:
    ///   - request: The request of the handshake. Its URL has the scheme ws, wss, http or https. Its method and content
    ///     are ignored. Its timeout applies until the connection is open.
    ///   - options: The settings. Default: the settings of ``WebSocketOptions/init()``.
    /// - Returns: A task. Its handshake begins with ``WebSocketTask/resume()``, or with the first method that needs the
    ///   connection. These methods are ``WebSocketTask/open()``, and the methods for sending, receiving and pings. If
    ///   an option is not allowed, or the URL has another scheme, the handshake fails.
    public func webSocket(with request: URLRequest, options: WebSocketOptions = .init()) -> WebSocketTask {
        let channel = WebSocketChannel(options: options)
        return WebSocketTask(channel: channel, task: CurlDataTask(makeHandshake(request, for: channel), of: self))
    }

    /// Creates a handshake, which begins with ``WebSocketAttempt/open()``.
    /// - Parameters:
    ///   - request: The request, whose method and content are ignored.
    ///   - withheldFields: The lower-case names of the fields that are not sent to another origin after a redirect.
    ///   - socket: The WebSocket.
    package func makeAttempt(
        _ request: URLRequest,
        withholding withheldFields: Set<TextKey>,
        on socket: WebSocketTask
    ) -> WebSocketAttempt {
        let attempt = WebSocketAttempt(withheldFields: withheldFields)
        socket.latest.task = CurlDataTask(makeHandshake(request, for: socket.channel, attempt), of: self)
        // If the channel has ended, it refuses new connections.
        if !socket.channel.begin(attempt) { attempt.cancel() }
        return attempt
    }

    /// Creates the task of a handshake.
    /// - Parameters:
    ///   - request: The request, whose method and content are ignored.
    ///   - channel: The channel that receives the connection.
    ///   - attempt: The attempt of the channel's connector; nil if the channel has only one connection.
    ///   - kind: The kind of the task. Default: a data task.
    func makeHandshake(
        _ request: URLRequest,
        for channel: WebSocketChannel,
        _ attempt: WebSocketAttempt? = nil,
        kind: TaskCore.Kind = .data
    ) -> TaskCore {
        let handshake: WebSocketHandshake
        var invalidity: WebSocketError?
        let options = channel.options
        do throws(WebSocketArgumentError) {
            let offer = options.offersCompression && MessageCompression.isAvailable ? PerMessageDeflate.Offer() : nil
            handshake = try WebSocketHandshake(protocols: options.protocols, offer: offer)
        } catch {
            invalidity = WebSocketError(error)
            handshake = WebSocketHandshake()
        }
        var request = request
        request.httpMethod = "GET"
        request.httpBody = nil
        request.httpBodyStream = nil
        request.cachePolicy = .reloadIgnoringLocalCacheData
        request.url = request.url.map(\.ofHandshake)
        for (name, value) in handshake.requestFields { request.setValue(value, forHTTPHeaderField: name) }
        let connection = WebSocketConnection(channel: channel, handshake: handshake, attempt: attempt)
        let task = core.makeTask(
            kind: kind,
            request: request,
            body: .none,
            completion: .data { connection.complete($0, $1, $2) },
            webSocket: connection,
            defect: invalidity.map { .engine(.badURL, $0.localizedDescription, url: request.url) }
                ?? (core.carries(request) && request.url?.isDataURL != true
                    ? nil : .unsupportedScheme(of: request.url))
        )
        if let attempt { attempt.attach(task) } else { channel.attach(task) }
        if let invalidity { connection.refuse(invalidity) }
        return task
    }
}

extension URLError {
    fileprivate static func unsupportedScheme(of url: URL?) -> URLError {
        .engine(.unsupportedURL, "The URL's scheme is none of ws, wss, http and https.", url: url)
    }
}

extension URL {
    /// The URL of the request that opens a WebSocket. The scheme ws is replaced by http, and wss by https.
    package var ofHandshake: URL {
        let replacement: String
        switch scheme?.inLowercase {
        case "ws": replacement = "http"
        case "wss": replacement = "https"
        default: return self
        }
        var reference = URLReference(absoluteString)
        reference.scheme = replacement
        return reference.url ?? self
    }
}
#endif
