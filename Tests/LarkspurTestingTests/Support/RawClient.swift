import Foundation
import Testing

@testable import LarkspurTesting

#if canImport(Glibc)
import Glibc
private let streamType = Int32(SOCK_STREAM.rawValue)
private let noSignal = Int32(MSG_NOSIGNAL)
#elseif canImport(Musl)
import Musl
private let streamType = SOCK_STREAM
private let noSignal = MSG_NOSIGNAL
#elseif canImport(Darwin)
import Darwin
private let streamType = SOCK_STREAM
private let noSignal: Int32 = 0
#endif

/// A client on a bare socket, so that what the tests say of the server depends on no other HTTP client.
final class RawClient {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let descriptor: Int32
    private var isOpen = true
    private var buffer = Data()

    init(_ server: LoopbackServer) throws {
        descriptor = socket(AF_INET, streamType, 0)
        // No test hangs for ever on a server that does not answer. A sanitizer makes the server many times slower.
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = server.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if code != 0 { throw Failure(description: "connect: \(errno)") }
    }

    deinit {
        disconnect()
    }

    func disconnect() {
        if isOpen { close(descriptor) }
        isOpen = false
    }

    func endSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func send(_ text: String) throws {
        try send(Data(text.utf8))
    }

    func send(_ data: Data) throws {
        var rest = data
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { write(descriptor, $0) }
            if sent <= 0 { throw Failure(description: "send: \(errno)") }
            rest = rest.dropFirst(sent)
        }
    }

    private func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.send(descriptor, bytes.baseAddress, bytes.count, noSignal)
        #elseif canImport(Musl)
        Musl.send(descriptor, bytes.baseAddress, bytes.count, noSignal)
        #else
        Darwin.send(descriptor, bytes.baseAddress, bytes.count, noSignal)
        #endif
    }

    func get(_ target: String, method: String = "GET", headers: String = "") throws {
        try send("\(method) \(target) HTTP/1.1\r\nHost: test\r\n\(headers)\r\n")
    }

    /// More bytes in the buffer; false at the end of the stream.
    private func fill() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        if count < 0 { throw Failure(description: errno == ECONNRESET ? "reset" : "receive: \(errno)") }
        buffer.append(contentsOf: chunk[..<count])
        return count > 0
    }

    /// The bytes up to a text, with it.
    func read(through end: String) throws -> Data {
        while true {
            if let range = buffer.range(of: Data(end.utf8)) { return take(range.upperBound - buffer.startIndex) }
            if try !fill() { throw Failure(description: "The stream ended before \(end.debugDescription).") }
        }
    }

    func read(count: Int) throws -> Data {
        while buffer.count < count {
            if try !fill() { throw Failure(description: "The stream ended after \(buffer.count) of \(count) bytes.") }
        }
        return take(count)
    }

    /// The bytes that have come, at least one; empty at the end of the stream.
    func readSome() throws -> Data {
        if buffer.isEmpty { _ = try fill() }
        return take(buffer.count)
    }

    func readToEnd() throws -> Data {
        while try fill() {}
        return take(buffer.count)
    }

    private func take(_ count: Int) -> Data {
        defer { buffer = Data(buffer.dropFirst(count)) }
        return Data(buffer.prefix(count))
    }

    /// A response, parsed by what its header says.
    struct Response {
        var statusLine = ""
        var fields: LoopbackServer.Fields = [:]
        var body = Data()
        var trailers: LoopbackServer.Fields = [:]

        var status: Int { Int(statusLine.split(separator: " ")[1]) ?? 0 }
        var text: String { String(decoding: body, as: UTF8.self) }

        func json() throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
        }
    }

    func response(toHead isHead: Bool = false) throws -> Response {
        var response = Response()
        (response.statusLine, response.fields) = try header()
        let hasNoBody = isHead || response.status < 200 || [204, 304].contains(response.status)
        if hasNoBody { return response }
        if response.fields["Transfer-Encoding"] == "chunked" {
            while let size = Int(try line(), radix: 16), size > 0 {
                response.body += try read(count: size)
                #expect(try line() == "")
            }
            response.trailers = try fields()
        } else if let length = response.fields["Content-Length"].flatMap({ Int($0) }) {
            response.body = try read(count: length)
        } else {
            response.body = try readToEnd()
        }
        return response
    }

    private func header() throws -> (String, LoopbackServer.Fields) {
        (try line(), try fields())
    }

    private func line() throws -> String {
        String(decoding: try read(through: "\r\n").dropLast(2), as: UTF8.self)
    }

    private func fields() throws -> LoopbackServer.Fields {
        var fields: LoopbackServer.Fields = [:]
        while true {
            let line = try line()
            if line.isEmpty { return fields }
            let parts = line.components(separatedBy: ": ")
            fields.append(parts[0], parts.dropFirst().joined(separator: ": "))
        }
    }
}

extension LoopbackServer {
    /// The response to one request on a connection of its own.
    func answer(
        _ target: String,
        method: String = "GET",
        headers: String = "",
        body: String = ""
    ) throws -> RawClient.Response {
        let client = try RawClient(self)
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        try client.get(target, method: method, headers: headers + length)
        try client.send(body)
        return try client.response(toHead: method == "HEAD")
    }
}
