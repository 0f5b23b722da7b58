import Foundation
import HTTPSyntax
import Testing

@Suite("WebSocketHandshake")
struct WebSocketHandshakeTests {
    private static let key = WebSocketKey("dGhlIHNhbXBsZSBub25jZQ==")
    private static let valid: [(name: String, value: String)] = [
        ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
    ]

    private func handshake(
        protocols: [String] = ["chat", "superchat"],
        offer: PerMessageDeflate.Offer? = nil
    ) throws -> WebSocketHandshake {
        try WebSocketHandshake(protocols: protocols, offer: offer, key: #require(Self.key))
    }

    @Test("The key in RFC 6455, section 1.3, has the accept value of that section")
    func accept() throws {
        #expect(try #require(Self.key).accept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test("Keys are random, and have 16 bytes")
    func randomKeys() {
        let keys = (0..<20).map { _ in WebSocketKey().text }
        #expect(Set(keys).count == 20)
        #expect(keys.allSatisfy { Data(base64Encoded: $0)?.count == 16 && WebSocketKey($0) != nil })
        for text in ["", "dGhlIHNhbXBsZQ==", "dGhlIHNhbXBsZSBub25jZQ=", "!!!!!!!!!!!!!!!!!!!!!!==", "AAAA"] {
            #expect(WebSocketKey(text) == nil)
        }
    }

    @Test("Requests have the fields of RFC 6455, section 4.1")
    func request() throws {
        let fields = try handshake(offer: .init()).requestFields.map { "\($0.name): \($0.value)" }
        #expect(
            fields == [
                "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: chat, superchat",
                "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
            ]
        )
        #expect(try handshake(protocols: []).requestFields.count == 4)
    }

    @Test(
        "Subprotocols must be tokens without repetitions",
        arguments: [[""], ["a b"], ["a,b"], ["é"], ["a", "b", "a"], ["a\r\nb"]]
    )
    func protocols(names: [String]) {
        #expect(throws: WebSocketArgumentError.self) { try handshake(protocols: names) }
    }

    @Test(
        "Valid responses are accepted, with names and tokens in any case",
        arguments: [
            (valid, nil), (valid + [("Sec-WebSocket-Protocol", "superchat")], "superchat"),
            (valid + [("SEC-WEBSOCKET-PROTOCOL", " chat ")], "chat"), (valid + [("Sec-WebSocket-Extensions", "")], nil),
            (
                [
                    ("UPGRADE", "WebSocket"), ("connection", "keep-alive, UPGRADE"),
                    ("sec-websocket-accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
                ], nil
            ),
            (valid + [("Connection", "keep-alive")], nil),
            ([valid[0], ("Connection", "Upgrade,\u{301}a"), valid[2]], nil),
        ] as [([(name: String, value: String)], String?)]
    )
    func validResponses(fields: [(name: String, value: String)], subprotocol: String?) throws {
        let agreement = try handshake().agreement(version: "HTTP/1.1", status: 101, fields: fields)
        #expect(agreement == .init(subprotocol: subprotocol, compression: nil))
    }

    @Test(
        "Invalid responses are refused with a sentence about the fault",
        arguments: [
            (Array(valid.dropFirst()), "Upgrade"), (valid + [("Upgrade", "websocket")], "Upgrade"),
            ([("Upgrade", "h2c")] + valid.dropFirst(), "h2c"),
            ([valid[0], valid[2]], "Connection"), ([valid[0], ("Connection", "upgraded"), valid[2]], "upgraded"),
            (Array(valid.dropLast()), "Sec-WebSocket-Accept"),
            (valid.dropLast() + [("Sec-WebSocket-Accept", "S3PPLMBITXAQ9KYGZZHZRBK+XOO=")], "Sec-WebSocket-Accept"),
            (valid + [valid[2]], "Sec-WebSocket-Accept"),
            (valid + [("Sec-WebSocket-Protocol", "other")], "other"),
            (valid + [("Sec-WebSocket-Protocol", "Chat")], "Chat"),
            (valid + [("Sec-WebSocket-Protocol", "")], "subprotocol"),
            (valid + [("Sec-WebSocket-Protocol", "chat, superchat")], "subprotocol"),
            (valid + [("Sec-WebSocket-Protocol", "chat"), ("Sec-WebSocket-Protocol", "chat")], "subprotocol"),
            (valid + [("Sec-WebSocket-Extensions", "permessage-deflate")], "permessage-deflate"),
            (valid + [("Sec-WebSocket-Extensions", "x-other")], "x-other"),
        ] as [([(name: String, value: String)], String)]
    )
    func invalidResponses(fields: [(name: String, value: String)], word: String) throws {
        let handshake = try handshake()
        let failure = try #require(throws: WebSocketHandshake.Failure.self) {
            try handshake.agreement(version: "HTTP/1.1", status: 101, fields: fields)
        }
        #expect(failure.sentence.contains(word))
    }

    @Test("Only the status 101 opens a connection", arguments: [100, 200, 204, 302, 401, 426, 500])
    func status(status: Int) throws {
        let handshake = try handshake()
        let failure = try #require(throws: WebSocketHandshake.Failure.self) {
            try handshake.agreement(version: "HTTP/1.1", status: status, fields: Self.valid)
        }
        #expect(failure.sentence.contains("\(status)"))
    }

    @Test("Only HTTP/1.1 opens a connection", arguments: ["HTTP/1.0", "HTTP/0.9", "HTTP/1.2", "HTTP/2", "HTTP/2.0"])
    func version(version: String) throws {
        let handshake = try handshake()
        let failure = try #require(throws: WebSocketHandshake.Failure.self) {
            try handshake.agreement(version: version, status: 101, fields: Self.valid)
        }
        #expect(failure.sentence.contains(version))
    }
}

@Suite("WebSocketRequest")
struct WebSocketRequestTests {
    private static let valid: [(name: String, value: String)] = [
        ("Upgrade", "websocket"), ("Connection", "keep-alive, Upgrade"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ]

    @Test("A server accepts a client's request, and the client accepts the server's response")
    func roundTrip() throws {
        let handshake = try WebSocketHandshake(protocols: ["b", "a"], offer: .init())
        let request = try WebSocketRequest(method: "GET", fields: handshake.requestFields)
        #expect(request.key == handshake.key)
        #expect(request.protocols == ["b", "a"])
        let compression = try #require(PerMessageDeflate(accepting: request.extensions))
        let fields = request.responseFields(subprotocol: "a", extensions: compression.responseField)
        let agreement = try handshake.agreement(version: "HTTP/1.1", status: 101, fields: fields)
        #expect(agreement == .init(subprotocol: "a", compression: PerMessageDeflate()))
    }

    @Test(
        "An invalid request is refused with a status",
        arguments: [
            ("POST", valid, 405), ("GET", Array(valid.dropFirst()), 426), ("GET", [valid[0]] + valid.dropFirst(2), 426),
            ("GET", [("Upgrade", "h2c")] + valid.dropFirst(), 426), ("GET", Array(valid[..<2]) + [valid[3]], 426),
            ("GET", valid[..<2] + [("Sec-WebSocket-Version", "8"), valid[3]], 426),
            ("GET", Array(valid.dropLast()), 400),
            ("GET", valid.dropLast() + [("Sec-WebSocket-Key", "short")], 400), ("GET", valid + [valid[3]], 400),
        ] as [(String, [(name: String, value: String)], Int)]
    )
    func refusals(method: String, fields: [(name: String, value: String)], status: Int) throws {
        let refusal = try #require(throws: WebSocketRequest.Refusal.self) {
            try WebSocketRequest(method: method, fields: fields)
        }
        #expect(refusal.status == status)
    }
}

@Suite("PerMessageDeflate")
struct PerMessageDeflateTests {
    private func agreed(_ extensions: String..., offer: PerMessageDeflate.Offer = .init()) throws -> PerMessageDeflate?
    {
        let handshake = try WebSocketHandshake(offer: offer)
        let fields =
            [
                ("Upgrade", "websocket"), ("Connection", "Upgrade"),
                ("Sec-WebSocket-Accept", handshake.key.accept),
            ] + extensions.map { ("Sec-WebSocket-Extensions", $0) }
        let named = fields.map { (name: $0.0, value: $0.1) }
        return try handshake.agreement(version: "HTTP/1.1", status: 101, fields: named).compression
    }

    @Test("A response without the extension means no compression")
    func none() throws {
        #expect(try agreed() == nil)
        #expect(try agreed(" , ,") == nil)
    }

    @Test("Valid parameters are agreed as they are in the response")
    func valid() throws {
        var expected = PerMessageDeflate()
        #expect(try agreed("permessage-deflate") == expected)
        #expect(try agreed(", PERMESSAGE-DEFLATE ,") == expected)
        expected.serverNoContextTakeover = true
        expected.clientMaxWindowBits = 10
        expected.serverMaxWindowBits = 8
        let text =
            "permessage-deflate; server_no_context_takeover; client_max_window_bits=\"10\" ;server_max_window_bits = 8"
        #expect(try agreed(text) == expected)
        #expect(expected.windowBits(.server) == 8 && expected.windowBits(.client) == 10)
        #expect(expected.hasNoContextTakeover(.server) && !expected.hasNoContextTakeover(.client))
        #expect(PerMessageDeflate().windowBits(.client) == 15)
        var other = PerMessageDeflate()
        other.clientNoContextTakeover = true
        #expect(try agreed("permessage-deflate;client_no_context_takeover") == other)
    }

    @Test(
        "Unknown, repeated and malformed parameters are refused",
        arguments: [
            "unknown", "server_no_context_takeover=1", "client_no_context_takeover=\"\"", "server_max_window_bits",
            "server_max_window_bits=7", "server_max_window_bits=16", "server_max_window_bits=08",
            "server_max_window_bits=", "server_max_window_bits=+9", "client_max_window_bits",
            "client_max_window_bits=x",
            "server_no_context_takeover; server_no_context_takeover",
            "server_max_window_bits=9; server_max_window_bits=9",
            "", "=", "SERVER_NO_CONTEXT_TAKEOVER",
        ]
    )
    func invalid(parameters: String) {
        #expect(throws: WebSocketHandshake.Failure.self) { try agreed("permessage-deflate; \(parameters)") }
    }

    @Test("A response may contain the compression extension once")
    func repeated() {
        #expect(throws: WebSocketHandshake.Failure.self) { try agreed("permessage-deflate, permessage-deflate") }
        #expect(throws: WebSocketHandshake.Failure.self) { try agreed("permessage-deflate", "permessage-deflate") }
        #expect(throws: WebSocketHandshake.Failure.self) { try agreed("permessage-deflate, x-other") }
    }

    @Test("A response must contain the parameters that the client requires, within the limits of the offer")
    func demands() throws {
        var offer = PerMessageDeflate.Offer()
        offer.serverNoContextTakeover = true
        offer.serverMaxWindowBits = 12
        offer.clientMaxWindowBits = 11
        let whole = "permessage-deflate; server_no_context_takeover; server_max_window_bits"
        #expect(try agreed("\(whole)=12; client_max_window_bits=11", offer: offer) != nil)
        #expect(try agreed("\(whole)=9", offer: offer) != nil)
        #expect(throws: WebSocketHandshake.Failure.self) { try agreed("\(whole)=13", offer: offer) }
        #expect(throws: WebSocketHandshake.Failure.self) {
            try agreed("\(whole)=12; client_max_window_bits=12", offer: offer)
        }
        #expect(throws: WebSocketHandshake.Failure.self) {
            try agreed("permessage-deflate; server_max_window_bits=12", offer: offer)
        }
        #expect(throws: WebSocketHandshake.Failure.self) {
            try agreed("permessage-deflate; server_no_context_takeover", offer: offer)
        }
        offer = .init()
        offer.clientMaxWindowBits = nil
        #expect(throws: WebSocketHandshake.Failure.self) {
            try agreed("permessage-deflate; client_max_window_bits=15", offer: offer)
        }
    }

    @Test("Offers have windows that zlib supports")
    func offers() {
        var offer = PerMessageDeflate.Offer()
        offer.serverNoContextTakeover = true
        offer.clientNoContextTakeover = true
        offer.serverMaxWindowBits = 8
        offer.clientMaxWindowBits = 99
        #expect(
            offer.field
                == "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
                + "server_max_window_bits=9; client_max_window_bits"
        )
        offer = .init()
        offer.clientMaxWindowBits = 12
        #expect(offer.field == "permessage-deflate; client_max_window_bits=12")
        offer.clientMaxWindowBits = nil
        #expect(offer.field == "permessage-deflate")
    }

    @Test(
        "A server accepts the first valid offer",
        arguments: [
            (["permessage-deflate; client_max_window_bits"], "permessage-deflate"),
            (["permessage-deflate; client_max_window_bits=12"], "permessage-deflate; client_max_window_bits=12"),
            (
                ["x", "permessage-deflate; y, permessage-deflate; server_max_window_bits=15"],
                "permessage-deflate; server_max_window_bits=15"
            ),
            (
                ["permessage-deflate; server_no_context_takeover; client_no_context_takeover"],
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
            ),
            (["x=\"\u{301}\", permessage-deflate"], "permessage-deflate"),
            (["permessage-deflate; server_max_window_bits"], nil), (["permessage-deflates"], nil), ([], nil),
        ] as [([String], String?)]
    )
    func accepting(fields: [String], response: String?) {
        #expect(PerMessageDeflate(accepting: fields)?.responseField == response)
    }
}
