#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import TestSupport
import Testing

/// Hashes of messages of many lengths, beside hashlib.
@Suite("SHA-2, beside Python's hashlib", .needsServers, .timeLimit(.minutes(5)))
struct HashTests {
    @Test("Messages of every length, as a whole and in parts, have the same hashes", .seeded)
    func lengths() throws {
        let seed = TestSeed.value
        var bytes = SeededGenerator(seed: seed)
        var cuts = SeededGenerator(seed: seed &+ 1)
        let expected: [[String]] = try PythonScript("hash_messages").run(["\(seed)", "600"])
        #expect(expected.count == 602)
        for row in expected {
            let length = try #require(Int(row[0]))
            let message = Data((0..<length).map { _ in UInt8(truncatingIfNeeded: bytes.next()) })
            #expect(SHA256.hash(message).hexadecimal == row[1], "\(length) bytes")
            #expect(SHA512.hash(message).hexadecimal == row[2], "\(length) bytes")
            var hashes = ContentHashes([.sha256, .sha512])
            var rest = message
            while !rest.isEmpty {
                let chunk = rest.prefix(Int.random(in: 0...300, using: &cuts))
                hashes.update(chunk)
                rest = rest.dropFirst(chunk.count)
            }
            #expect(hashes.finished(.sha256)?.hexadecimal == row[1], "\(length) bytes")
            #expect(hashes.finished(.sha512)?.hexadecimal == row[2], "\(length) bytes")
        }
    }
}
#endif
