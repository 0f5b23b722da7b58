import TestSupport
import Testing

@testable import LarkspurCredentials

@Suite("DER of signatures and keys")
struct DERTests {
    @Test(
        "A signature in DER has two numbers of a fixed length",
        arguments: [
            ([0x30, 6, 2, 1, 1, 2, 1, 2], [0, 1, 0, 2]),
            ([0x30, 8, 2, 2, 0x7F, 1, 2, 2, 1, 0], [0x7F, 1, 1, 0]),
            ([0x30, 9, 2, 3, 0, 0x80, 1, 2, 2, 0, 0xFF], [0x80, 1, 0, 0xFF]),
            ([0x30, 6, 2, 1, 0, 2, 1, 0], [0, 0, 0, 0]),
        ] as [([UInt8], [UInt8])]
    )
    func fixed(_ der: [UInt8], _ fixed: [UInt8]) {
        #expect(ECDSASignature.fixed(der, width: 2) == fixed)
        #expect(ECDSASignature.der(fixed, width: 2) == der)
    }

    @Test(
        "Malformed signatures in DER are refused",
        arguments: [
            [], [0x30], [0x30, 0], [0x31, 6, 2, 1, 1, 2, 1, 2],
            // One number, three numbers, and another element.
            [0x30, 3, 2, 1, 1], [0x30, 9, 2, 1, 1, 2, 1, 2, 2, 1, 3], [0x30, 6, 2, 1, 1, 4, 1, 2],
            // A byte behind, within and before the end.
            [0x30, 6, 2, 1, 1, 2, 1, 2, 0], [0x30, 7, 2, 1, 1, 2, 1, 2, 0], [0x30, 6, 2, 1, 1, 2, 1],
            [0x30, 7, 2, 1, 1, 2, 1, 2], [0x30, 5, 2, 1, 1, 2, 1, 2], [0x30, 6, 2, 5, 1, 2, 1, 2],
            // A negative number, a number without bytes, a superfluous zero, and a number that is too long.
            [0x30, 6, 2, 1, 0x80, 2, 1, 2], [0x30, 5, 2, 0, 2, 1, 2], [0x30, 7, 2, 2, 0, 1, 2, 1, 2],
            [0x30, 7, 2, 2, 0, 0, 2, 1, 2], [0x30, 8, 2, 3, 1, 2, 3, 2, 1, 2],
            // Lengths that are not the shortest, or indefinite.
            [0x30, 0x81, 6, 2, 1, 1, 2, 1, 2], [0x30, 0x82, 0, 6, 2, 1, 1, 2, 1, 2],
            [0x30, 0x80, 2, 1, 1, 2, 1, 2, 0, 0],
            [0x30, 6, 2, 0x81, 1, 1, 2, 1, 2], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0xFF], [0x30, 0x82, 1],
        ] as [[UInt8]]
    )
    func malformed(_ der: [UInt8]) {
        #expect(ECDSASignature.fixed(der, width: 2) == nil)
    }

    @Test("Numbers of a wrong length have no DER", arguments: [0, 1, 3, 5, 8])
    func wrongLength(_ count: Int) {
        #expect(ECDSASignature.der([UInt8](repeating: 1, count: count), width: 2) == nil)
        #expect(ECDSASignature.der([UInt8](), width: 0) == nil)
    }

    @Test("Random numbers are the same after both conversions, and changed DER is no other form of them", .seeded)
    func model() {
        var generator = SeededGenerator(51)
        for _ in 0..<2000 {
            let width = [32, 48, 66].randomElement(using: &generator) ?? 32
            var numbers = Array(generator.bytes(2 * width))
            // Numbers with leading zeros have shorter DER.
            for index in 0..<Int.random(in: 0...width, using: &generator) where Bool.random(using: &generator) {
                numbers[index] = 0
            }
            let der = ECDSASignature.der(numbers, width: width)
            #expect(der.flatMap { ECDSASignature.fixed($0, width: width) } == numbers)
            guard var changed = der else { continue }
            let index = Int.random(in: 0..<changed.count, using: &generator)
            changed[index] ^= UInt8.random(in: 1...255, using: &generator)
            // Each signature has one form in DER, so what is read is written as it was.
            let other = ECDSASignature.fixed(changed, width: width)
            #expect(other == nil || other.flatMap { ECDSASignature.der($0, width: width) } == changed)
        }
    }

    /// Returns the DER of a key in PEM.
    private static func der(_ pem: String) throws -> Data {
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        return try #require(Data(base64Encoded: lines.joined()))
    }

    @Test(
        "The public key has the kind of a key pair",
        arguments: [
            (KeyFixtures.rsa, .rsa(bits: 2048)), (KeyFixtures.rsa1024, .rsa(bits: 1024)),
            (KeyFixtures.rsaPSS, .rsaPSS(bits: 2048)), (KeyFixtures.p256, .p256), (KeyFixtures.p384, .p384),
            (KeyFixtures.p521, .other), (KeyFixtures.ed25519, .ed25519),
        ] as [(KeyFixtures.Pair, KeyKind)]
    )
    func kind(_ pair: KeyFixtures.Pair, _ kind: KeyKind) throws {
        let der = try Self.der(pair.publicKey)
        #expect(KeyKind(der) == kind)
        // No part of the DER is taken for the key, and nothing is read beyond its end.
        for count in 0..<der.count { #expect(KeyKind(der.prefix(count)) == .other) }
    }
}
