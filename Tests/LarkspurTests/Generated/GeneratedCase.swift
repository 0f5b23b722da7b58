#if canImport(FoundationNetworking)
import Foundation
import TestSupport

/// A request, its response, the delivery of the response, and the way in which the program makes the call.
struct GeneratedCase: Sendable, Equatable {
    enum Way: String, Sendable, CaseIterable {
        case closures, chain, awaited, sequence, opened, download
    }

    let seed: UInt64
    var method = "GET"
    var isSecure = false
    var way = Way.awaited
    var response = GeneratedResponse()
    /// The ends of the segments in thousandths of the response.
    var borders: [Int] = []
    /// Whether each of the first 400 bytes is a segment.
    var isByteByByte = false

    init(seed: UInt64, allowsTLS: Bool) {
        var random = SeededGenerator(seed: seed)
        self.seed = seed
        method = Int.random(in: 0..<8, using: &random) == 0 ? "HEAD" : "GET"
        // Drawn even without TLS, so that a seed has the same response.
        let isSecure = Int.random(in: 0..<4, using: &random) == 0
        self.isSecure = isSecure && allowsTLS
        way = Way.allCases.randomElement(using: &random) ?? .awaited
        switch Int.random(in: 0..<6, using: &random) {
        case 0: isByteByByte = true
        case 1...3:
            borders = (0..<Int.random(in: 1...6, using: &random)).map { _ in Int.random(in: 1...999, using: &random) }
                .sorted()
        default: break
        }
        response = GeneratedResponse(method: method, isSecure: self.isSecure, using: &random)
    }

    func expectation(_ rules: GeneratedResponse.Rules = .engine) -> GeneratedResponse.Expectation {
        response.expectation(method: method, isSecure: isSecure, rules: rules)
    }

    /// The response in segments.
    var script: GeneratedServer.Script {
        let wire = response.wire(method: method)
        var ends = borders.map { wire.bytes.count * $0 / 1000 }
        if isByteByByte { ends = Array(0..<min(400, wire.bytes.count)) }
        if wire.messageEnd < wire.bytes.count {
            // Bytes behind the end that arrive later would belong to the next response on the connection, for any
            // client. So they are in one segment with the last byte of this response.
            ends = ends.filter { $0 < wire.messageEnd } + [wire.messageEnd - 1]
        }
        return GeneratedServer.Script(wire: wire, ends: ends + [wire.bytes.count])
    }
}

extension GeneratedCase: CustomStringConvertible {
    /// The case, and the beginning of the bytes of its response.
    var description: String {
        let bytes = response.wire(method: method).bytes
        let text = String(decoding: bytes.prefix(1_500), as: UTF8.self).debugDescription
        return """
            \(method) by \(way) over \(isSecure ? "https" : "http"), borders \(isByteByByte ? "everywhere" : "\(borders)")
            mutations: \(response.mutations)
            expected: \(Self.shortened("\(expectation())"))
            \(bytes.count) bytes: \(text)
            """
    }

    static func shortened(_ text: String) -> String { text.count > 1_000 ? text.prefix(1_000) + " …" : text }
}

// MARK: Shrinking

extension GeneratedCase {
    /// Simpler cases, the simplest ones first.
    var simplifications: [GeneratedCase] {
        var cases: [GeneratedCase] = []
        func add(_ change: (inout GeneratedCase) -> Void) {
            var copy = self
            change(&copy)
            if copy != self { cases.append(copy) }
        }
        add { $0.isSecure = false }
        add { $0.way = .awaited }
        add { $0.isByteByByte = false }
        add { $0.borders = [] }
        for index in borders.indices { add { $0.borders.remove(at: index) } }
        for index in response.mutations.indices { add { $0.response.mutations.remove(at: index) } }
        add { $0.response.interims = [] }
        add { $0.response.fields = [] }
        // Of many fields, halves are enough.
        if response.fields.count < 10 {
            for index in response.fields.indices { add { $0.response.fields.remove(at: index) } }
        } else {
            add { $0.response.fields.removeLast($0.response.fields.count / 2) }
        }
        add { $0.response.trailers = [] }
        add { $0.response.coding = .none }
        add { $0.response.content.count = 0 }
        add { $0.response.content.count /= 2 }
        add { $0.response.content.count = max(0, $0.response.content.count - 1) }
        add { $0.response.content.kind = .letters }
        add { $0.response.chunkSizes = [1 << 20] }
        add { $0.response.chunkExtension = "" }
        add { $0.response.chunkZeros = 0 }
        add { $0.response.status = 200 }
        add { $0.response.reason = " OK" }
        add { $0.response.version = "HTTP/1.1" }
        add { $0.response.lineEnd = "\r\n" }
        add { $0.response.framingStyle = 0 }
        add { $0.response.framingPlace = 0 }
        add { $0.response.staysOpen = false }
        add { $0.method = "GET" }
        return cases
    }

    /// The simplest case that still fails.
    /// - Parameter fails: Runs a case, and returns whether it fails.
    func shrunk(limit: Int = 200, _ fails: (GeneratedCase) async throws -> Bool) async rethrows -> GeneratedCase {
        var current = self
        var runs = 0
        search: while true {
            for simpler in current.simplifications where runs < limit {
                runs += 1
                if try await fails(simpler) {
                    current = simpler
                    continue search
                }
            }
            return current
        }
    }
}
#endif
