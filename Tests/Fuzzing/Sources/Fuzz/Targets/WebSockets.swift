import Foundation
import HTTPSyntax

@testable import LarkspurTransport

/// The frames, the handshakes and the compression of WebSocket.
extension FuzzTarget {
    static let webSockets = [frames, messageFrames, clientHandshake, serverHandshake, inflating, deflating]

    private static let limits = WebSocketReader.Limits(frameSize: 1 << 14, messageSize: 1 << 15)

    private static func inflater(_ first: UInt8) -> MessageInflater? {
        guard first & 2 != 0, MessageCompression.isAvailable else { return nil }
        return MessageInflater(windowBits: 9 + Int(first >> 2) % 7, resetsContext: first & 0x80 != 0)
    }

    private static func read(_ first: UInt8, _ parts: [ArraySlice<UInt8>]) -> [WebSocketEvent] {
        var reader = WebSocketReader(
            role: first & 1 == 0 ? .client : .server,
            limits: limits,
            inflater: inflater(first)
        )
        var events: [WebSocketEvent] = []
        for part in parts { part.withUnsafeBytes { events += reader.read($0) } }
        let last = events.last
        switch last {
        case .close, .failure: require(reader.hasEnded, "the reader has ended")
        default: require(!reader.hasEnded, "the reader has not ended")
        }
        return events
    }

    private static let frames = FuzzTarget(
        "frames",
        measured: { bytes in
            guard let first = bytes.first else { return }
            _ = read(first, Division.steady(of: Array(bytes.dropFirst())))
        },
        { bytes in
            guard let first = bytes.first else { return }
            let bytes = Array(bytes.dropFirst())
            let whole = read(first, [bytes[...]])
            for parts in Division.all(of: bytes) {
                let events = read(first, parts)
                if first & 2 == 0 { require(events, equals: whole, "the events of parts") }
                // A compressed message may break two rules. Which of them shows first depends on the parts.
                require(events.count, equals: whole.count, "the number of the events of parts")
                require(events.dropLast(), equals: whole.dropLast(), "the events of parts before the last one")
            }
            for event in whole {
                switch event {
                case .message(.text(let text)): require(text.utf8.count <= limits.messageSize, "a message has a limit")
                case .message(.binary(let data)): require(data.count <= limits.messageSize, "a message has a limit")
                case .ping(let data), .pong(let data): require(data.count <= 125, "a control frame has a limit")
                case .close(let code, let reason):
                    require(code.map(WebSocketCloseCode.isAllowedInFrame) ?? true, "a code is allowed")
                    require(reason.utf8.count <= 123, "a reason has a limit")
                case .failure(let failure):
                    require(WebSocketCloseCode.isAllowedInFrame(failure.closeCode), "the code of a failure is allowed")
                }
            }
        }
    )

    private static let messageFrames = FuzzTarget("message-frames") { bytes in
        var choices = Choices(bytes)
        let role: WebSocketRole = choices.flag() ? .client : .server
        let isCompressed = choices.flag() && MessageCompression.isAvailable
        let windowBits = 9 + choices.number(below: 7)
        let resetsContext = choices.flag()
        let fragmentSize = choices.flag() ? 1 + choices.number(below: 200) : nil
        var writer = WebSocketWriter(
            role: role,
            fragmentSize: fragmentSize,
            deflater: isCompressed ? MessageDeflater(windowBits: windowBits, resetsContext: resetsContext) : nil
        )
        var output: [UInt8] = []
        var expected: [WebSocketEvent] = []
        while !choices.isAtEnd, expected.count < 12 {
            let kind = choices.number(below: 5)
            let content = choices.bytes()
            switch kind {
            case 0:
                let data = Data(content.prefix(125))
                guard (try? writer.writePing(data, into: &output)) != nil else { return require(false, "a ping") }
                expected.append(.ping(data))
            case 1:
                let data = Data(content.prefix(125))
                guard (try? writer.writePong(data, into: &output)) != nil else { return require(false, "a pong") }
                expected.append(.pong(data))
            case 2:
                let text = String(decoding: content, as: UTF8.self)
                guard (try? writer.write(.text(text), into: &output)) != nil else { return require(false, "a text") }
                expected.append(.message(.text(text)))
            default:
                let data = Data(content)
                guard (try? writer.write(.binary(data), into: &output)) != nil else { return require(false, "data") }
                expected.append(.message(.binary(data)))
            }
        }
        for parts in [[output[...]], Division.parts(of: output)] {
            var reader = WebSocketReader(
                role: role == .client ? .server : .client,
                inflater: isCompressed ? MessageInflater(windowBits: windowBits, resetsContext: resetsContext) : nil
            )
            var events: [WebSocketEvent] = []
            for part in parts { part.withUnsafeBytes { events += reader.read($0) } }
            require(events, equals: expected, "the events are what was written")
            require(reader.isBetweenMessages, "the last message is complete")
        }
    }

    // MARK: Handshakes

    private static func fields(_ bytes: ArraySlice<UInt8>) -> [(name: String, value: String)] {
        bytes.split(separator: .lineFeed).compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            return (String(networkBytes: line[..<colon]), String(networkBytes: line[(colon + 1)...]))
        }
    }

    private static let key = WebSocketKey("dGhlIHNhbXBsZSBub25jZQ==")

    private static let clientHandshake = FuzzTarget("client-handshake") { bytes in
        var choices = Choices(bytes)
        var offer = PerMessageDeflate.Offer()
        offer.serverNoContextTakeover = choices.flag()
        offer.serverMaxWindowBits = choices.element(of: [nil, 8, 9, 12, 15, 40])
        offer.clientMaxWindowBits = choices.element(of: [15, nil, 8, 10])
        let protocols = choices.flag() ? ["chat", "mqtt"] : []
        guard let key,
            let handshake = try? WebSocketHandshake(protocols: protocols, offer: choices.flag() ? offer : nil, key: key)
        else { return }
        // The fields without which every response fails, unless the input has its own.
        let needed = [
            ("Upgrade", "websocket"), ("Connection", "upgrade"), ("Sec-WebSocket-Accept", key.accept),
        ]
        let fields = (choices.flag() ? [] : needed) + fields(choices.rest)
        guard let agreement = try? handshake.agreement(version: "HTTP/1.1", status: 101, fields: fields) else {
            return
        }
        if let name = agreement.subprotocol { require(protocols.contains(name), "the subprotocol was offered") }
        guard let compression = agreement.compression else { return }
        require(handshake.offer != nil, "compression was offered")
        require(!offer.serverNoContextTakeover || compression.serverNoContextTakeover, "the server keeps no context")
        for role in [WebSocketRole.client, .server] {
            let offered = role == .client ? offer.clientMaxWindowBits : offer.serverMaxWindowBits
            // zlib has no window of 8 bits.
            let limit = offered.map { min(max($0, 9), 15) } ?? 15
            require((8...limit).contains(compression.windowBits(role)), "a window is not larger than the offered one")
        }
        require(offer.clientMaxWindowBits != nil || compression.windowBits(.client) == 15, "this window has no limit")
        // A server that sends the same parameters is understood in the same way.
        let again = try? handshake.agreement(
            version: "HTTP/1.1",
            status: 101,
            fields: needed + [("Sec-WebSocket-Extensions", compression.responseField)]
        )
        require(again?.compression, equals: compression, "the parameters are read as they were written")
        _ = MessageCompression.deflater(compression, role: .client)
        _ = MessageCompression.inflater(compression, role: .client)
    }

    private static let serverHandshake = FuzzTarget("server-handshake") { bytes in
        let needed = [
            ("Upgrade", "websocket"), ("Connection", "upgrade"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ]
        let given = fields(bytes[...])
        _ = try? WebSocketRequest(method: "GET", fields: given)
        guard let request = try? WebSocketRequest(method: "GET", fields: needed + given) else { return }
        require(request.protocols.allSatisfy { !$0.isEmpty }, "the name of a subprotocol is not empty")
        guard let accepted = PerMessageDeflate(accepting: request.extensions) else { return }
        for role in [WebSocketRole.client, .server] {
            require((8...15).contains(accepted.windowBits(role)), "a window has its limits")
        }
        var offer = PerMessageDeflate.Offer()
        offer.serverNoContextTakeover = accepted.serverNoContextTakeover
        guard let key, let handshake = try? WebSocketHandshake(offer: offer, key: key) else { return }
        let agreement = try? handshake.agreement(
            version: "HTTP/1.1",
            status: 101,
            fields: request.responseFields(extensions: accepted.responseField)
        )
        require(agreement?.compression, equals: accepted, "the client understands the accepted parameters")
    }

    // MARK: Compression

    /// Decompresses a message, which ends with the last part.
    private static func inflate(
        _ parts: [ArraySlice<UInt8>],
        _ first: UInt8
    ) -> (output: [UInt8], failure: WebSocketFailure?) {
        let inflater = MessageInflater(windowBits: 9 + Int(first) % 7, resetsContext: first & 0x80 != 0)
        var output: [UInt8] = []
        for part in parts + [[]] {
            let result = part.withUnsafeBytes { bytes in
                Result { () throws(WebSocketFailure) in
                    try inflater.inflate(bytes, isLast: part.isEmpty, into: &output, limit: 1 << 16)
                }
            }
            if case .failure(let failure) = result { return (output, failure) }
        }
        return (output, nil)
    }

    private static let inflating = FuzzTarget(unmeasured: "inflating") { bytes in
        guard let first = bytes.first, MessageCompression.isAvailable else { return }
        let bytes = Array(bytes.dropFirst())
        let whole = inflate(bytes.isEmpty ? [] : [bytes[...]], first)
        require(whole.output.count <= 1 << 17, "the output has a limit")
        let divided = inflate(Division.parts(of: bytes), first)
        require(divided.failure == nil, equals: whole.failure == nil, "the failure of parts")
        if whole.failure == nil { require(divided.output, equals: whole.output, "the output of parts") }
    }

    private static let deflating = FuzzTarget(unmeasured: "deflating") { bytes in
        guard let first = bytes.first, MessageCompression.isAvailable else { return }
        let windowBits = 9 + Int(first) % 7
        let resets = first & 0x80 != 0
        let deflater = MessageDeflater(windowBits: windowBits, resetsContext: resets)
        let inflater = MessageInflater(windowBits: windowBits, resetsContext: resets)
        for message in bytes.dropFirst().split(separator: 0, omittingEmptySubsequences: false).prefix(8) {
            var compressed: [UInt8] = []
            var output: [UInt8] = []
            do {
                try message.withUnsafeBytes { try deflater.deflate($0, into: &compressed) }
                try compressed.withUnsafeBytes {
                    try inflater.inflate($0, isLast: true, into: &output, limit: 1 << 20)
                }
            } catch {
                require(false, "a message is compressed and decompressed: \(error)")
            }
            require(output, equals: Array(message), "the message is the same")
            require(compressed.count <= message.count + message.count / 500 + 32, "a message grows by little")
        }
    }
}
