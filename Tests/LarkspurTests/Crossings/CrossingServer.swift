#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import Synchronization

@testable import LarkspurTesting

/// A server of crossings over HTTP/1.1, which is also a proxy for plain requests and for tunnels to itself.
///
/// It takes each byte of a connection for a part of a request of a known call, and records what is none. Content that
/// a response has left unread is read before the next request, as RFC 9112, section 9.3, has it.
final class CrossingServer: Sendable {
    /// The values that the threads of the connections use, so that these threads do not retain the server.
    fileprivate final class Shared: Sendable {
        let records = Mutex<[Int: CrossingRecord]>([:])
        let isStopped = Atomic(false)
        let ports: (plain: UInt16, secure: UInt16)

        init(ports: (plain: UInt16, secure: UInt16)) { self.ports = ports }
    }

    /// The host of URLs that are asked for through the proxy.
    static let host = "crossing.test"
    static let otherHost = "next.test"
    /// The number of bytes of content that a response has before it is cut.
    static let cutLength = 300_000

    let port: UInt16
    private let listeners: [Socket]
    private let identity: ServerIdentity?
    private let shared: Shared

    /// The certificate in DER; nil without OpenSSL.
    var certificate: Data? { identity?.certificate }

    init() throws {
        identity = try? ServerIdentity(.selfSigned(hosts: [Self.host, Self.otherHost]))
        listeners = try (0..<2).map { _ in try Socket.listening(port: 0, backlog: 1_024) }
        port = try listeners[0].localPort()
        shared = Shared(ports: (port, try listeners[1].localPort()))
        for (index, listener) in listeners.enumerated() {
            let (identity, shared) = (index == 1 ? identity : nil, shared)
            Thread.detachNewThread { Self.accept(listener, identity, shared) }
        }
    }

    deinit {
        shared.isStopped.store(true, ordering: .releasing)
        for listener in listeners { listener.shutDown() }
    }

    func add(_ record: CrossingRecord) { shared.records.withLock { $0[record.number] = record } }

    func remove(_ record: CrossingRecord) { shared.records.withLock { $0[record.number] = nil } }

    private static func accept(_ listener: Socket, _ identity: ServerIdentity?, _ shared: Shared) {
        while (try? System.wait(for: [(listener.descriptor, .readable)], milliseconds: -1)) != nil,
            !shared.isStopped.load(ordering: .acquiring)
        {
            // An error means that the client was gone before it was accepted.
            guard let socket = try? listener.accept(identity) else { continue }
            Thread.detachNewThread {
                CrossingConnection(socket, shared).serve()
                socket.close()
            }
        }
        listener.close()
    }
}

/// A connection of the server, used by one thread.
private final class CrossingConnection {
    private struct Head {
        let method: String
        let target: String
        let fields: [(name: String, value: String)]

        func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

        var expectsContinue: Bool { values("expect").contains("100-continue") }
        var isChunked: Bool { values("transfer-encoding").contains("chunked") }
        var length: Int { values("content-length").first.flatMap { Int($0) } ?? 0 }
        var hasContent: Bool { isChunked || length > 0 }
    }

    /// The content of a request that is read.
    private enum Content {
        case whole(Data)
        /// The connection has ended, or the bytes are not those of the content.
        case broken
    }

    private let socket: Socket
    private let shared: CrossingServer.Shared
    private var input = Data()
    private var record: CrossingRecord?
    /// Whether a request was answered on the connection.
    private var isKept = false

    init(_ socket: Socket, _ shared: CrossingServer.Shared) {
        self.socket = socket
        self.shared = shared
    }

    func serve() {
        // An error means that the client has disconnected.
        while let head = try? readHead() {
            guard (try? answer(head)) == true else { return }
            isKept = true
        }
    }

    // MARK: Reading

    private func receive() throws -> Bool {
        guard let bytes = try socket.receive() else { return false }
        input += bytes
        return true
    }

    private static let methods = ["GET ", "PUT ", "POST ", "CONNECT "].map { Data($0.utf8) }

    /// Reads the header section of a request; nil at the end of the connection.
    private func readHead() throws -> Head? {
        while true {
            if !input.isEmpty, !Self.methods.contains(where: { $0.starts(with: input.prefix($0.count)) }) {
                noteForeignBytes("between requests")
                return nil
            }
            if let end = input.range(of: Data("\r\n\r\n".utf8)) {
                let lines = String(decoding: input[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
                input = Data(input[end.upperBound...])
                let words = (lines.first ?? "").split(separator: " ").map(String.init)
                guard words.count == 3, words[2] == "HTTP/1.1" else {
                    record?.note("the line of a request is \(lines.first?.debugDescription ?? "missing")")
                    return nil
                }
                let fields = lines.dropFirst().map { line in
                    let parts = line.split(separator: ":", maxSplits: 1)
                    let value = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
                    return (name: parts[0].lowercased(), value: value)
                }
                return Head(method: words[0], target: words[1], fields: fields)
            }
            guard try receive() else { return nil }
        }
    }

    private func noteForeignBytes(_ place: String) {
        let text = String(decoding: input.prefix(80), as: UTF8.self).debugDescription
        record?.note("bytes \(place) that do not belong there: \(text)")
    }

    /// Reads the content of a request. Bytes that cannot be content of the call are a violation.
    private func readContent(_ head: Head, _ expected: CrossingContent, limit: Int = .max) throws -> Content {
        var content = Data()
        let isCoded = !head.values("content-encoding").isEmpty
        /// Takes bytes of the content, and checks them.
        func take(_ count: Int) -> Bool {
            let (offset, chunk) = (content.count, input.prefix(count))
            content += chunk
            input = Data(input.dropFirst(count))
            guard !isCoded, !expected.isPart(chunk, at: offset) else { return true }
            let common = zip(content, expected.bytes).prefix { $0 == $1 }.count
            let text = String(decoding: content.dropFirst(common).prefix(60), as: UTF8.self).debugDescription
            record?.note("content of another call, or of another place, after \(common) bytes: \(text)")
            return false
        }
        if !head.isChunked {
            while content.count < head.length {
                if input.isEmpty, try !receive() { return .broken }
                guard take(min(input.count, head.length - content.count)), content.count < limit else { return .broken }
            }
            return end(content, expected, isCoded)
        }
        while true {
            guard let line = try readLine() else { return .broken }
            guard let size = Int(line, radix: 16) else {
                input = Data(line.utf8) + input
                noteForeignBytes("in place of the size of a chunk")
                return .broken
            }
            guard size > 0 else { break }
            var left = size
            while left > 0 {
                if input.isEmpty, try !receive() { return .broken }
                let count = min(left, input.count)
                guard take(count), content.count < limit else { return .broken }
                left -= count
            }
            guard try readLine() != nil else { return .broken }
        }
        var trailers: [String] = []
        while true {
            guard let line = try readLine() else { return .broken }
            if line.isEmpty { break }
            trailers.append(line)
        }
        let hasTrailers = record?.crossing.body == .trailers
        if trailers != (hasTrailers ? ["X-Sum: 1"] : []) { record?.note("the trailers are \(trailers)") }
        return end(content, expected, isCoded)
    }

    private func end(_ content: Data, _ expected: CrossingContent, _ isCoded: Bool) -> Content {
        // What is coded is checked by its length alone: it was made smaller.
        let isWhole = isCoded ? !content.isEmpty : expected.isWhole(content)
        if !isWhole { record?.note("content that is complete with \(content.count) of \(expected.bytes.count) bytes") }
        return isWhole ? .whole(content) : .broken
    }

    private func readLine() throws -> String? {
        while true {
            if let end = input.range(of: Data("\r\n".utf8)) {
                let line = String(decoding: input[..<end.lowerBound], as: UTF8.self)
                input = Data(input[end.upperBound...])
                return line
            }
            guard try receive() else { return nil }
        }
    }

    // MARK: Answering

    private func send(_ status: String, _ fields: [String] = [], content: String? = nil) throws {
        let length = content.map { ["Content-Length: \($0.utf8.count)"] } ?? []
        let lines = ["HTTP/1.1 \(status)"] + fields + length
        try socket.send(Data((lines.joined(separator: "\r\n") + "\r\n\r\n" + (content ?? "")).utf8))
    }

    /// Answers a request. Returns whether the connection stays open.
    private func answer(_ head: Head) throws -> Bool {
        if head.method == "CONNECT" { return try tunnel(isSecure: head.target.hasSuffix(":443")) }
        var path = head.target
        if path.hasPrefix("http://") { path = "/" + path.split(separator: "/").dropFirst(2).joined(separator: "/") }
        let parts = path.split(separator: "?")[0].split(separator: "/").map(String.init)
        guard parts.count >= 3, let number = Int(parts[1]), let call = Int(parts[2]),
            let next = shared.records.withLock({ $0[number] })
        else {
            record?.note("a request for \(head.target)")
            return false
        }
        if let record, record !== next {
            record.note("its connection has a request of another session, \(head.target)")
        }
        record = next
        switch parts[0] {
        case "prime": return try prime(next, CrossingRecord.marker(number, call))
        case "next":
            if head.method != "GET" || head.hasContent || head.values("x-secret") != ["secret"] {
                next.note("the next request has changed: \(head)")
            }
            try send("200 OK", content: CrossingRecord.response(to: "next"))
            return true
        default:
            let isOpen = try answer(head, call, next)
            if !isOpen { socket.closeAfterDraining(milliseconds: 100) }
            next.answered(call).open()
            return isOpen
        }
    }

    private func prime(_ record: CrossingRecord, _ marker: String) throws -> Bool {
        record.notePrimed()
        record.allPrimed.wait(timeout: .seconds(5))
        try send("200 OK", content: CrossingRecord.response(to: marker))
        return record.crossing.connection != .lostBefore
    }

    private func answer(_ head: Head, _ call: Int, _ record: CrossingRecord) throws -> Bool {
        let crossing = record.crossing
        let attempt = record.begin(call)
        let method = crossing.body == .nothing ? "GET" : crossing.method == .put ? "PUT" : "POST"
        if head.method != method { record.note("call \(call) has the method \(head.method)") }
        if attempt > 0, crossing.method == .post, record.hasLostConnection(call) {
            record.note("call \(call), a POST, was sent again after its connection was lost")
        }
        let expected = record.contents[call]
        if crossing.order?.action == .finish, expected.bytes.count > 0, attempt == 0 {
            record.finished(call).wait(timeout: .seconds(2))
        }
        let losesConnection = crossing.connection == .lostDuring || crossing.connection == .lostAfter
        if losesConnection, isKept, record.losesConnection(call) {
            if head.expectsContinue { try send("100 Continue") }
            _ = try readContent(head, expected, limit: crossing.connection == .lostDuring ? 200_000 : .max)
            return false
        }
        if crossing.way == .webSocket { return try answerWebSocket(head, call, record) }
        return try answer(head, call, record, expected)
    }

    private func answer(
        _ head: Head,
        _ call: Int,
        _ record: CrossingRecord,
        _ expected: CrossingContent
    ) throws -> Bool {
        let response = record.crossing.response
        let isFirst = !head.target.contains("/again") && head.values("authorization").isEmpty
        switch response {
        case .early:
            // On a connection that stays, the content follows all the same.
            let isWhole = (try? answerEarly(head, expected, "200 OK", content: record.response(to: call))) == true
            if isWhole { record.noteWhole(call) } else { record.noteLeft(call) }
            return isWhole
        case .earlyClosing:
            record.noteEarly(call)
            return try answerEarly(head, expected, "200 OK", closes: true, content: record.response(to: call))
        case .challenge where isFirst:
            return try answerAtOnceIfExpected(head, expected, "401 No", ["WWW-Authenticate: Basic realm=\"a\""])
        case .redirect where isFirst:
            let parts = head.target.split(separator: "?", maxSplits: 1)
            return try answerAtOnceIfExpected(head, expected, "307 There", ["Location: \(parts[0])/again?\(parts[1])"])
        case .expectationFailed where head.expectsContinue:
            return try answerEarly(head, expected, "417 No", content: "")
        default: break
        }
        if response == .interim { try send("103 Early Hints", ["Link: </a>"]) }
        if head.expectsContinue { try send("100 Continue") }
        guard case .whole = try readContent(head, expected) else { return false }
        record.noteWhole(call)
        switch response {
        case .silence: return false
        case .cut:
            let sent = CrossingServer.cutLength
            try send("200 OK", ["Content-Length: \(sent + 1_000)"])
            try socket.send(Data(repeating: UInt8(ascii: "x"), count: sent))
            return false
        case .held: hold(call, record)
        case .interim: try send("102 Processing")
        default: break
        }
        let cached = record.crossing.surroundings == .cache ? ["Cache-Control: max-age=60"] : []
        try send("200 OK", cached, content: record.response(to: call))
        return true
    }

    private func hold(_ call: Int, _ record: CrossingRecord) {
        record.noteArrival(call)
        // A call that may fail may do so before its request.
        let mayMiss = !CrossingRules(crossing: record.crossing).permittedFailures.isEmpty
        if record.allArrived.wait(timeout: mayMiss ? .milliseconds(200) : .seconds(10)) || mayMiss { return }
        record.note("only \(record.arrivedCount) of \(record.crossing.calls) requests have arrived")
    }

    /// Answers after the content, unless the client waits for a word before it sends the content.
    private func answerAtOnceIfExpected(
        _ head: Head,
        _ expected: CrossingContent,
        _ status: String,
        _ fields: [String]
    ) throws -> Bool {
        if head.expectsContinue { return try answerEarly(head, expected, status, fields, content: "") }
        guard case .whole = try readContent(head, expected) else { return false }
        try send(status, fields, content: "")
        return true
    }

    /// Answers before the content, and then reads it. The client sends it, or ends the connection.
    private func answerEarly(
        _ head: Head,
        _ expected: CrossingContent,
        _ status: String,
        _ fields: [String] = [],
        closes: Bool = false,
        content: String
    ) throws -> Bool {
        try send(status, fields + (closes ? ["Connection: close"] : []), content: content)
        if closes { System.shutDown(socket.descriptor, .write) }
        guard case .whole = try readContent(head, expected) else { return false }
        return !closes
    }

    // MARK: WebSocket

    private func answerWebSocket(_ head: Head, _ call: Int, _ record: CrossingRecord) throws -> Bool {
        switch record.crossing.response {
        case .silence: return false
        case .redirect where !head.target.contains("/again"):
            let parts = head.target.split(separator: "?", maxSplits: 1)
            try send("307 There", ["Location: \(parts[0])/again?\(parts[1])"], content: "")
            return true
        case .held: hold(call, record)
        default: break
        }
        guard let key = head.values("sec-websocket-key").first.flatMap({ WebSocketKey($0) }) else {
            record.note("call \(call) has no key of a WebSocket")
            return false
        }
        try send(
            "101 Switching Protocols",
            ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: \(key.accept)"]
        )
        if record.crossing.response == .cut {
            try socket.send(Data([0x81, 100, 0x41]))
            return false
        }
        // Echoes short messages, and the close.
        while true {
            while input.count < 2 || input.count < 6 + Int(input[1] & 0x7F) {
                guard try receive() else { return false }
            }
            let length = Int(input[1] & 0x7F)
            let mask = Array(input[2..<6])
            let payload = input[6..<(6 + length)].enumerated().map { $1 ^ mask[$0 % 4] }
            try socket.send(Data([input[0], UInt8(length)] + payload))
            let isClose = input[0] & 0x0F == 8
            input = Data(input[(6 + length)...])
            if isClose { return false }
        }
    }

    // MARK: Tunnels

    /// Connects the client with the port for https, or with the other one, as for a WebSocket.
    private func tunnel(isSecure: Bool) throws -> Bool {
        let port = isSecure ? shared.ports.secure : shared.ports.plain
        guard let other = Socket.connected(to: port) else { return false }
        try send("200 OK")
        let (one, two) = (socket, other)
        let hasEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            Self.copy(from: two, to: one)
            hasEnded.signal()
        }
        Self.copy(from: one, to: two)
        hasEnded.wait()
        other.close()
        return false
    }

    private static func copy(from source: Socket, to target: Socket) {
        while let bytes = try? source.receive(), (try? target.send(Data(bytes))) != nil {}
        System.shutDown(target.descriptor, .write)
    }
}

extension Socket {
    /// A connection to a port of this machine.
    fileprivate static func connected(to port: UInt16) -> Socket? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        return isConnected ? Socket(descriptor: descriptor) : nil
    }
}
#endif
