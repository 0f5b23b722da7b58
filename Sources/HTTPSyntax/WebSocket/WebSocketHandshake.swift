/// The client's side of the opening handshake: the fields of the request, and the check of the response (RFC 6455,
/// section 4.1).
package struct WebSocketHandshake: Sendable {
    /// A response that opens no connection.
    package struct Failure: Error, Equatable, Sendable {
        /// The fault of the response: the received value, and the expected one.
        package let sentence: String
    }

    /// The result of a handshake.
    package struct Agreement: Equatable, Sendable {
        /// The subprotocol that the server chose; nil if it chose none.
        package var subprotocol: String?
        /// The parameters of compression; nil if messages are not compressed.
        package var compression: PerMessageDeflate?

        package init(subprotocol: String?, compression: PerMessageDeflate?) {
            self.subprotocol = subprotocol
            self.compression = compression
        }
    }

    package let key: WebSocketKey
    package let protocols: [String]
    package let offer: PerMessageDeflate.Offer?

    /// Creates a handshake.
    ///
    /// - Parameters:
    ///   - protocols: The subprotocols that the server may choose, the preferred one first. Default: none.
    ///   - offer: The parameters of compression; nil to offer none. Default: nil.
    ///   - key: The key. Default: a random one.
    /// - Throws: ``WebSocketArgumentError``, if a subprotocol is not a token or is given twice.
    package init(
        protocols: [String] = [],
        offer: PerMessageDeflate.Offer? = nil,
        key: WebSocketKey = WebSocketKey()
    ) throws(WebSocketArgumentError) {
        for (index, name) in protocols.enumerated() {
            guard name.isToken else {
                throw WebSocketArgumentError(
                    sentence: "The subprotocol \"\(name.onOneLine)\" is not a token: letters, digits and "
                        + "!#$%&'*+-.^_`|~ are allowed."
                )
            }
            guard !protocols[..<index].contains(where: { $0 == name }) else {
                throw WebSocketArgumentError(sentence: "The subprotocol \"\(name)\" is given twice.")
            }
        }
        self.key = key
        self.protocols = protocols
        self.offer = offer
    }

    /// Creates a handshake that offers no subprotocol and no extension.
    package init() {
        key = WebSocketKey()
        protocols = []
        offer = nil
    }

    /// The fields that make a GET request an opening handshake.
    package var requestFields: [(name: String, value: String)] {
        var fields = [
            (name: "Upgrade", value: "websocket"), (name: "Connection", value: "Upgrade"),
            (name: "Sec-WebSocket-Version", value: WebSocketRequest.version),
            (name: "Sec-WebSocket-Key", value: key.text),
        ]
        if !protocols.isEmpty { fields.append(("Sec-WebSocket-Protocol", protocols.joined(separator: ", "))) }
        if let offer { fields.append(("Sec-WebSocket-Extensions", offer.field)) }
        return fields
    }

    /// Checks a response.
    ///
    /// - Parameters:
    ///   - version: The version of the response, as it was received. Only `HTTP/1.1` has the status 101 (RFC 9110,
    ///     section 7.8).
    ///   - status: The status code.
    ///   - fields: The fields of the header.
    /// - Throws: A sentence about the first fault.
    package func agreement(
        version: String,
        status: Int,
        fields: [(name: String, value: String)]
    ) throws(Failure) -> Agreement {
        guard status == 101 else {
            throw Failure(
                sentence: "The server responded with the status \(status), not with 101 (Switching Protocols)."
            )
        }
        guard version == "HTTP/1.1" else {
            throw Failure(sentence: "The server changed protocols over \(version.onOneLine), not over HTTP/1.1.")
        }
        let header = WebSocketFields(fields)
        let upgrade = header.values("Upgrade")
        guard upgrade.count == 1, upgrade[0].hasSameLetters(as: "websocket") else {
            throw Failure(sentence: "The response's Upgrade field is \(Self.list(upgrade)), not \"websocket\".")
        }
        guard header.contains("upgrade", in: "Connection") else {
            let connection = Self.list(header.values("Connection"))
            throw Failure(sentence: "The response's Connection field is \(connection), without \"upgrade\".")
        }
        let accept = header.values("Sec-WebSocket-Accept")
        guard accept == [key.accept] else {
            throw Failure(
                sentence: "The response's Sec-WebSocket-Accept field is \(Self.list(accept)), not the value that "
                    + "belongs to the request's key."
            )
        }
        return Agreement(subprotocol: try subprotocol(header), compression: try compression(header))
    }

    private func subprotocol(_ header: WebSocketFields) throws(Failure) -> String? {
        let chosen = header.values("Sec-WebSocket-Protocol")
        guard let name = chosen.first else { return nil }
        guard chosen.count == 1, protocols.contains(name) else {
            let offered = protocols.isEmpty ? "none was offered" : "offered were: \(protocols.joined(separator: ", "))"
            throw Failure(sentence: "The server chose the subprotocol \(Self.list(chosen)), but \(offered).")
        }
        return name
    }

    private func compression(_ header: WebSocketFields) throws(Failure) -> PerMessageDeflate? {
        var compression: PerMessageDeflate?
        for element in WebSocketExtension.list(header.values("Sec-WebSocket-Extensions")) {
            guard let offer, element.name.hasSameLetters(as: PerMessageDeflate.name) else {
                throw Failure(
                    sentence: "The server chose the extension \"\(element.name.onOneLine)\", which was not offered."
                )
            }
            guard compression == nil else {
                throw Failure(sentence: "The server chose the extension \(PerMessageDeflate.name) twice.")
            }
            compression = try PerMessageDeflate(response: element, to: offer)
        }
        return compression
    }

    private static func list(_ values: [String]) -> String {
        values.isEmpty ? "missing" : values.map { "\"\($0.onOneLine)\"" }.joined(separator: ", ")
    }
}

/// The server's side of the opening handshake: the check of the request, and the fields of the response (RFC 6455,
/// section 4.2).
package struct WebSocketRequest: Sendable {
    /// The only version of the protocol.
    static let version = "13"

    /// A request that opens no connection.
    package struct Refusal: Error, Equatable, Sendable {
        /// The status of the response. A 426 has the field `Sec-WebSocket-Version: 13`.
        package let status: Int
        /// The fault of the request.
        package let sentence: String
    }

    package let key: WebSocketKey
    /// The subprotocols that the client offers, the preferred one first.
    package let protocols: [String]
    /// The values of the `Sec-WebSocket-Extensions` fields.
    package let extensions: [String]

    /// Checks a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - fields: The fields of the header.
    /// - Throws: The first fault, with the status of the response.
    package init(method: String, fields: [(name: String, value: String)]) throws(Refusal) {
        let header = WebSocketFields(fields)
        guard method == "GET" else {
            throw Refusal(status: 405, sentence: "The method is \(method.onOneLine), but WebSocket needs GET.")
        }
        guard header.contains("websocket", in: "Upgrade"), header.contains("upgrade", in: "Connection") else {
            throw Refusal(
                status: 426,
                sentence: "The request has not both \"Upgrade: websocket\" and \"Connection: Upgrade\"."
            )
        }
        guard header.values("Sec-WebSocket-Version") == [Self.version] else {
            throw Refusal(status: 426, sentence: "The Sec-WebSocket-Version field is missing, or is not 13.")
        }
        let keys = header.values("Sec-WebSocket-Key")
        guard keys.count == 1, let key = WebSocketKey(keys[0]) else {
            throw Refusal(
                status: 400,
                sentence: "The Sec-WebSocket-Key field is missing, or is not base64 of 16 bytes."
            )
        }
        self.key = key
        protocols = header.elements("Sec-WebSocket-Protocol")
        extensions = header.values("Sec-WebSocket-Extensions")
    }

    /// Returns the fields of a response with the status 101.
    ///
    /// - Parameters:
    ///   - subprotocol: The chosen subprotocol; nil for none.
    ///   - extensions: The value of the `Sec-WebSocket-Extensions` field; nil for none.
    package func responseFields(
        subprotocol: String? = nil,
        extensions: String? = nil
    ) -> [(name: String, value: String)] {
        var fields = [
            (name: "Upgrade", value: "websocket"), (name: "Connection", value: "Upgrade"),
            (name: "Sec-WebSocket-Accept", value: key.accept),
        ]
        if let subprotocol { fields.append(("Sec-WebSocket-Protocol", subprotocol)) }
        if let extensions { fields.append(("Sec-WebSocket-Extensions", extensions)) }
        return fields
    }
}

/// The fields of a header. Names are compared without regard to case.
private struct WebSocketFields {
    private let fields: [(name: String, value: String)]

    init(_ fields: [(name: String, value: String)]) { self.fields = fields }

    func values(_ name: String) -> [String] {
        fields.filter { $0.name.hasSameLetters(as: name) }.map(\.value.trimmingBlanks)
    }

    func elements(_ name: String) -> [String] {
        values(name).flatMap { $0.parts(separatedBy: ",") }.map(\.trimmingBlanks).filter { !$0.isEmpty }
    }

    func contains(_ token: String, in name: String) -> Bool {
        elements(name).contains { $0.hasSameLetters(as: token) }
    }
}
