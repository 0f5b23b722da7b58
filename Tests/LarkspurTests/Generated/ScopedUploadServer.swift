#if canImport(FoundationNetworking)
import Foundation

@testable import LarkspurTesting

/// A server of ``ScopedUpload`` over HTTP/1.1, which does what the query of a request says.
final class ScopedUploadServer: Sendable {
    let port: UInt16
    private let listener: Socket

    init() throws {
        listener = try Socket.listening(port: 0, backlog: 1_024)
        port = try listener.localPort()
        let listener = listener
        Thread.detachNewThread {
            while (try? System.wait(for: [(listener.descriptor, .readable)], milliseconds: -1)) != nil {
                guard let socket = try? listener.accept(nil) else { break }
                Thread.detachNewThread {
                    let connection = Connection(socket)
                    while (try? connection.respond()) == true {}
                    socket.close()
                }
            }
            listener.close()
        }
    }

    deinit { listener.shutDown() }

    /// A connection, used by one thread.
    private final class Connection {
        private struct Ended: Error {}

        private let socket: Socket
        private var input = Data()
        /// The number of bytes that the current chunk has left, or the content without chunks.
        private var left = 0
        private var isChunked = false
        private var hasEnded = false
        private var count = 0

        init(_ socket: Socket) { self.socket = socket }

        private func receive() throws {
            guard let bytes = try socket.receive() else { throw Ended() }
            input += bytes
        }

        private func line() throws -> String {
            while true {
                if let end = input.range(of: Data("\r\n".utf8)) {
                    defer { input = Data(input[end.upperBound...]) }
                    return String(decoding: input[..<end.lowerBound], as: UTF8.self)
                }
                try receive()
            }
        }

        /// Reads content until there are so many bytes, or its end.
        private func read(_ limit: Int) throws {
            while !hasEnded, count < limit {
                if left == 0 {
                    guard isChunked else { break }
                    left = Int(try line(), radix: 16) ?? 0
                    guard left > 0 else {
                        while try !line().isEmpty {}
                        hasEnded = true
                        return
                    }
                }
                if input.isEmpty { try receive() }
                let taken = min(left, input.count)
                input = Data(input.dropFirst(taken))
                count += taken
                left -= taken
                guard left == 0 else { continue }
                if isChunked { _ = try line() } else { hasEnded = true }
            }
        }

        /// Responds to a request. Returns whether the connection stays open.
        func respond() throws -> Bool {
            let target = try line().split(separator: " ")[1]
            (left, isChunked, hasEnded, count) = (0, false, false, 0)
            while true {
                let field = try line().lowercased()
                if field.isEmpty { break }
                if field.hasPrefix("content-length:") { left = Int(field.dropFirst(15).filter(\.isNumber)) ?? 0 }
                if field.hasPrefix("transfer-encoding:") { isChunked = true }
            }
            if !isChunked, left == 0 { hasEnded = true }
            var values: [Substring: Substring] = [:]
            for pair in target.split(separator: "?")[1].split(separator: "&") {
                let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
                values[parts[0]] = parts[1]
            }
            let begun = values["begun"].flatMap { Int($0) } ?? 0
            try read(begun < 0 ? .max : begun)
            let parts = (values["parts"] ?? "").split(separator: "-").compactMap { Int($0) }
            try send(parts, values["framing"] ?? "", closes: values["end"] != "stays")
            switch values["end"] {
            case "stays": try read(.max)
            case "closes":
                System.shutDown(socket.descriptor, .write)
                while try socket.receive() != nil {}
                return false
            default: return false
            }
            return true
        }

        private func send(_ parts: [Int], _ framing: Substring, closes: Bool) throws {
            var fields = closes ? "Connection: close\r\n" : ""
            switch framing {
            case "length": fields += "Content-Length: \(parts.reduce(0, +))\r\n"
            case "chunked": fields += "Transfer-Encoding: chunked\r\n"
            default: break
            }
            var output = Data("HTTP/1.1 200 OK\r\n\(fields)\r\n".utf8)
            for part in parts {
                let content = Data(repeating: UInt8(ascii: "x"), count: part)
                if framing == "chunked" { output += Data("\(String(part, radix: 16))\r\n".utf8) }
                output += content
                if framing == "chunked" { output += Data("\r\n".utf8) }
                try socket.send(output)
                output = Data()
            }
            if framing == "chunked" { output += Data("0\r\n\r\n".utf8) }
            if !output.isEmpty { try socket.send(output) }
        }
    }
}
#endif
