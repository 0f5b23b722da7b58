#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import Synchronization

@testable import LarkspurTesting

/// A connection of the server, used by one thread.
final class CrossingConnection {
    struct Head {
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

    let socket: Socket
    let shared: CrossingServer.Shared
    var input = Data()
    var record: CrossingRecord?
    /// Whether a request was answered on the connection.
    var isKept = false

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

    func receive() throws -> Bool {
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
        // Coded content is checked by its length alone, because the server has made it smaller.
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

    func send(_ status: String, _ fields: [String] = [], content: String? = nil) throws {
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

    func hold(_ call: Int, _ record: CrossingRecord) {
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
}
#endif
