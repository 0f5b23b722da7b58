#if canImport(FoundationNetworking)

import Foundation
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("Memory of the previous response's head") struct HeadMemoryTests {
    /// The lines that heads are made of. Many of them differ in one byte, and some are not fields.
    private static let lines: [[UInt8]] =
        [
            "Content-Type: text/plain", "content-type: text/plain", "Content-Type: text/plaim",
            "Content-Type:text/plain",
            "Content-Length: 12", "Content-Length: 13", "Content-Length : 12", " Content-Length: 12",
            "Content-Length: 1 2",
            "Transfer-Encoding: chunked", "Transfer-Encoding : chunked", "X-A: b", "x-a: b", "X-A: b ", "X-A:",
            "X-A: b\0c",
            " folded", "\t", "  ", ":", "no field", "Set-Cookie: a=b; Path=/", "Set-Cookie: a=c; Path=/",
            "Location: /x",
            "WWW-Authenticate: Basic", "X-Name: " + String(repeating: "v", count: 300), "Server: \u{E9}",
            "Server: e\u{301}",
        ].map { Array($0.utf8) } + [Array("Server: ".utf8) + [0xE9], Array("X-B".utf8) + [0x0D] + Array(": c".utf8)]

    @Test("A head is parsed with memory as without it, whatever heads came before", arguments: 0..<40)
    func differential(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let memory = HeadMemory()
        for number in 0..<50 {
            var reply = [Array("HTTP/1.1 200 OK".utf8)]
            for _ in 0..<Int.random(in: 0...30, using: &random) {
                reply.append(Self.lines.randomElement(using: &random) ?? [])
            }
            reply.append([])
            // Trailers.
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                reply.append(Self.lines.randomElement(using: &random) ?? [])
            }
            let end: [UInt8] = Bool.random(using: &random) ? [0x0D, 0x0A] : [0x0A]
            var (plain, remembering) = (ResponseHeadParser(), ResponseHeadParser(memory: memory))
            for line in reply {
                let expected = try plain.consume(bytes: line + end)
                let head = try remembering.consume(bytes: line + end)
                #expect(Facts(head) == Facts(expected), "seed \(seed), head \(number)")
            }
            #expect(remembering.trailers == plain.trailers, "seed \(seed), head \(number)")
        }
    }

    @Test("A head that differs from the last one in a few lines is parsed with memory as without it", arguments: 0..<40)
    func repeated(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let memory = HeadMemory()
        var last = [Array("HTTP/1.1 200 OK".utf8), Array("Server: a".utf8), Array("Content-Length: 12".utf8), []]
        for number in 0..<50 {
            // Two responses of the origin arrive in turns, line by line.
            let replies = (0..<2).map { _ in changed(last, &random) }
            var parsers = replies.map { _ in ResponseHeadParser(memory: memory) }
            var plain = replies.map { _ in ResponseHeadParser() }
            for index in 0..<replies.map(\.count).reduce(0, max) {
                for (place, reply) in replies.enumerated() where index < reply.count {
                    let expected = try plain[place].consume(bytes: reply[index] + [0x0D, 0x0A])
                    let head = try parsers[place].consume(bytes: reply[index] + [0x0D, 0x0A])
                    #expect(Facts(head) == Facts(expected), "seed \(seed), head \(number)")
                }
            }
            last = replies[1]
        }
    }

    /// The lines of a head, half of the time with one of them added, removed, replaced or continued.
    private func changed(_ lines: [[UInt8]], _ random: inout SeededGenerator) -> [[UInt8]] {
        var lines = lines
        let place = Int.random(in: 1..<lines.count, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: lines.insert(Self.lines.randomElement(using: &random) ?? [], at: place)
        case 1 where place < lines.count - 1: lines.remove(at: place)
        case 2 where place < lines.count - 1: lines[place] = Self.lines.randomElement(using: &random) ?? []
        case 3: lines.insert(Array(" more".utf8), at: place)
        case 4: lines[0] = Array("HTTP/1.1 20\(Int.random(in: 0...6, using: &random)) OK".utf8)
        default: break
        }
        return lines
    }

    @Test("A head with the same lines as the last one is taken from memory")
    func whole() throws {
        let memory = HeadMemory()
        let lines = ["HTTP/1.1 200 OK", "Server: a", ""]
        var first = ResponseHeadParser(memory: memory)
        _ = try first.heads(lines)
        let known = try #require(memory.head)
        memory.remember(try #require(try .reading(["Server: known"])), statusLine: known.statusLine, lines: known.lines)

        var second = ResponseHeadParser(memory: memory)
        #expect(try second.heads(lines).first?["Server"] == "known")
    }

    /// What a head says, to be compared.
    private struct Facts: Equatable {
        let fields: [String: [UInt8]]?
        let lists: [[String]]
        let framing: String

        init(_ head: ResponseHead?) {
            fields = head?.fields.mapValues { Array($0.utf8) }
            lists = [head?.setCookies ?? [], head?.challenges ?? [], [head?.location ?? "none"]]
            framing = "\(String(describing: head?.status)) \(String(describing: head?.framing))"
        }
    }

    @Test("A line is taken from memory only if it has the same bytes and the same place")
    func places() throws {
        let memory = HeadMemory()
        let field = ResponseHeadParser.Field(name: try #require(FieldName("Server")), value: "remembered")
        let line = Array("Server: a".utf8)
        line.withUnsafeBytes { _ = memory.remember(field, of: $0, at: 1) }
        #expect(line.withUnsafeBytes { memory.line($0, at: 1)?.field.value } == "remembered")
        #expect(line.withUnsafeBytes { memory.line($0, at: 0) } == nil)
        #expect(Array("server: a".utf8).withUnsafeBytes { memory.line($0, at: 1) } == nil)
        #expect(Array("Server: ab".utf8).withUnsafeBytes { memory.line($0, at: 1) } == nil)
        // A parser takes it from there.
        var parser = ResponseHeadParser(memory: memory)
        #expect(try parser.heads(["HTTP/1.1 200 OK", "X-A: b", "Server: a", ""]).first?["Server"] == "remembered")
    }

    @Test("Long lines and lines far down are not remembered, to limit the memory")
    func bounds() throws {
        let memory = HeadMemory()
        let field = ResponseHeadParser.Field(name: try #require(FieldName("Server")), value: "")
        let long = [UInt8](repeating: 0x61, count: 257)
        long.withUnsafeBytes { _ = memory.remember(field, of: $0, at: 0) }
        #expect(long.withUnsafeBytes { memory.line($0, at: 0) } == nil)
        long.prefix(256).withUnsafeBytes { _ = memory.remember(field, of: UnsafeRawBufferPointer($0), at: 24) }
        #expect(long.prefix(256).withUnsafeBytes { memory.line(UnsafeRawBufferPointer($0), at: 24) } == nil)
    }
}

#endif
