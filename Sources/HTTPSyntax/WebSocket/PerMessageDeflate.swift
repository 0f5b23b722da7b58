/// The agreed parameters of permessage-deflate, the extension that compresses messages (RFC 7692, section 7.1).
package struct PerMessageDeflate: Equatable, Sendable {
    static let name = "permessage-deflate"

    /// Whether the server compresses each message without the data of earlier messages.
    package var serverNoContextTakeover = false
    /// Whether the client compresses each message without the data of earlier messages.
    package var clientNoContextTakeover = false
    /// The window of the server's compressor as the binary logarithm of its size in bytes, 8 to 15. Nil means 15.
    package var serverMaxWindowBits: Int?
    /// The window of the client's compressor as the binary logarithm of its size in bytes, 8 to 15. Nil means 15.
    package var clientMaxWindowBits: Int?

    package init() {}

    /// Whether a side compresses each message without the data of earlier messages.
    package func hasNoContextTakeover(_ sender: WebSocketRole) -> Bool {
        sender == .client ? clientNoContextTakeover : serverNoContextTakeover
    }

    /// Returns the window of a side's compressor as the binary logarithm of its size in bytes, 8 to 15.
    package func windowBits(_ sender: WebSocketRole) -> Int {
        (sender == .client ? clientMaxWindowBits : serverMaxWindowBits) ?? 15
    }

    /// The value of the `Sec-WebSocket-Extensions` field of a response.
    package var responseField: String {
        Self.field(
            (Parameter.serverNoContextTakeover, serverNoContextTakeover ? .some(nil) : nil),
            (.clientNoContextTakeover, clientNoContextTakeover ? .some(nil) : nil),
            (.serverMaxWindowBits, serverMaxWindowBits.map(String.init)),
            (.clientMaxWindowBits, clientMaxWindowBits.map(String.init))
        )
    }

    /// The parameters that a client offers.
    package struct Offer: Equatable, Sendable {
        /// Whether the server must compress each message without the data of earlier messages.
        package var serverNoContextTakeover = false
        /// Whether the client compresses each message without the data of earlier messages, even if the server does not
        /// require it.
        package var clientNoContextTakeover = false
        /// The largest window of the server's compressor as a binary logarithm, 9 to 15; nil for no limit.
        package var serverMaxWindowBits: Int?
        /// The largest window of the client's compressor as a binary logarithm, 9 to 15. The server may require a
        /// smaller one. If the value is nil, the server may not limit this window.
        package var clientMaxWindowBits: Int? = 15

        package init() {}

        /// The value of the `Sec-WebSocket-Extensions` field of a request.
        ///
        /// A window below 9 is sent as 9, because zlib does not compress with 8. A window above 15 is sent as 15.
        package var field: String {
            let clientBits = clientMaxWindowBits.map(Self.clamp)
            return PerMessageDeflate.field(
                (Parameter.serverNoContextTakeover, serverNoContextTakeover ? .some(nil) : nil),
                (.clientNoContextTakeover, clientNoContextTakeover ? .some(nil) : nil),
                (.serverMaxWindowBits, serverMaxWindowBits.map { String(Self.clamp($0)) }),
                // Without a value, the parameter means 15.
                (.clientMaxWindowBits, clientBits.map { $0 == 15 ? nil : String($0) })
            )
        }

        fileprivate static func clamp(_ bits: Int) -> Int { min(max(bits, 9), 15) }
    }
}

extension PerMessageDeflate {
    fileprivate enum Parameter: String {
        case serverNoContextTakeover = "server_no_context_takeover"
        case clientNoContextTakeover = "client_no_context_takeover"
        case serverMaxWindowBits = "server_max_window_bits"
        case clientMaxWindowBits = "client_max_window_bits"
    }

    /// Joins the parameters that are not nil. If the inner optional is nil, the parameter has no value.
    private static func field(_ parameters: (Parameter, String??)...) -> String {
        parameters.reduce(name) { field, parameter in
            guard let value = parameter.1 else { return field }
            return field + "; \(parameter.0.rawValue)" + (value.map { "=\($0)" } ?? "")
        }
    }

    /// Reads the parameters of a response.
    ///
    /// - Throws: A sentence about the first parameter that contradicts the offer or does not belong to the extension.
    init(response: WebSocketExtension, to offer: Offer) throws(WebSocketHandshake.Failure) {
        try self.init(response)
        if offer.serverNoContextTakeover, !serverNoContextTakeover {
            throw Self.missing(.serverNoContextTakeover)
        }
        if let offered = offer.serverMaxWindowBits.map(Offer.clamp) {
            guard let bits = serverMaxWindowBits else { throw Self.missing(.serverMaxWindowBits) }
            try Self.check(bits, .serverMaxWindowBits, offered)
        }
        if let bits = clientMaxWindowBits {
            guard let offered = offer.clientMaxWindowBits.map(Offer.clamp) else {
                throw WebSocketHandshake.Failure(
                    sentence: "The server demands \(Parameter.clientMaxWindowBits.rawValue)=\(bits), "
                        + "which was not offered."
                )
            }
            try Self.check(bits, .clientMaxWindowBits, offered)
        }
    }

    /// Chooses the first of a client's offers that is valid; nil if there is none.
    ///
    /// - Parameter fields: The values of the request's `Sec-WebSocket-Extensions` fields.
    package init?(accepting fields: [String]) {
        let offers = WebSocketExtension.list(fields).filter { $0.name.hasSameLetters(as: Self.name) }
        for offer in offers {
            if let accepted = try? PerMessageDeflate(offer, isOffer: true) {
                self = accepted
                return
            }
        }
        return nil
    }

    /// Reads the parameters of an offer or a response.
    private init(_ element: WebSocketExtension, isOffer: Bool = false) throws(WebSocketHandshake.Failure) {
        var seen: Set<Parameter> = []
        for (name, value) in element.parameters {
            guard let parameter = Parameter(rawValue: name) else {
                throw WebSocketHandshake.Failure(sentence: "\(Self.name) has no parameter \"\(name.onOneLine)\".")
            }
            guard seen.insert(parameter).inserted else {
                throw WebSocketHandshake.Failure(sentence: "\(Self.name) has the parameter \(name) twice.")
            }
            switch parameter {
            case .serverNoContextTakeover:
                try Self.checkAbsence(of: value, parameter)
                serverNoContextTakeover = true
            case .clientNoContextTakeover:
                try Self.checkAbsence(of: value, parameter)
                clientNoContextTakeover = true
            case .serverMaxWindowBits: serverMaxWindowBits = try Self.windowBits(value, parameter)
            case .clientMaxWindowBits:
                // If an offer has the parameter without a value, the window can have all 15 bits.
                if value != nil || !isOffer { clientMaxWindowBits = try Self.windowBits(value, parameter) }
            }
        }
    }

    private static func checkAbsence(
        of value: String?,
        _ parameter: Parameter
    ) throws(WebSocketHandshake.Failure) {
        guard let value else { return }
        throw WebSocketHandshake.Failure(
            sentence: "The parameter \(parameter.rawValue) has the value \"\(value.onOneLine)\", but can have none."
        )
    }

    private static func windowBits(
        _ value: String?,
        _ parameter: Parameter
    ) throws(WebSocketHandshake.Failure) -> Int {
        guard let bits = (8...15).first(where: { String($0) == value }) else {
            let given = value.map { "the value \"\($0.onOneLine)\"" } ?? "no value"
            throw WebSocketHandshake.Failure(
                sentence: "The parameter \(parameter.rawValue) has \(given), but must have one of 8 to 15."
            )
        }
        return bits
    }

    private static func check(
        _ bits: Int,
        _ parameter: Parameter,
        _ offered: Int
    ) throws(WebSocketHandshake.Failure) {
        guard bits <= offered else {
            throw WebSocketHandshake.Failure(
                sentence: "The server chose \(parameter.rawValue)=\(bits), but at most \(offered) was offered."
            )
        }
    }

    private static func missing(_ parameter: Parameter) -> WebSocketHandshake.Failure {
        WebSocketHandshake.Failure(
            sentence: "The server accepts \(name) without the parameter \(parameter.rawValue), which was demanded."
        )
    }
}

/// An element of a `Sec-WebSocket-Extensions` field (RFC 6455, section 9.1).
struct WebSocketExtension {
    let name: String
    /// The parameters in their order. A value is nil if the parameter has none.
    let parameters: [(name: String, value: String?)]

    /// Reads the elements of all fields. Empty elements are skipped, as in every list of HTTP (RFC 9110, section
    /// 5.6.1).
    static func list(_ fields: [String]) -> [WebSocketExtension] {
        fields.flatMap { FieldParameters.split($0, at: ",") }.compactMap { element in
            let parts = FieldParameters.split(element, at: ";").map(\.trimmingBlanks)
            guard let name = parts.first, parts.count > 1 || !name.isEmpty else { return nil }
            return WebSocketExtension(name: name, parameters: parts.dropFirst().map(parameter))
        }
    }

    private static func parameter(_ text: String) -> (name: String, value: String?) {
        guard let (name, value) = text.cut(at: "=") else { return (text, nil) }
        return (name.trimmingBlanks, FieldParameters.unquote(value.trimmingBlanks))
    }
}
