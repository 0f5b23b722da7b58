#if canImport(FoundationNetworking)
import TestSupport
import Testing

@testable import LarkspurTransport

/// Each reader of certificates and keys with 512 KiB of its worst: the cost grows with the length.
@Suite("Costs of certificates", .enabled(if: Growth.isMeasured), .serialized, .timeLimit(.minutes(5)))
struct CertificateCostTests {
    /// A text as long as it has to be: the start, and units up to the end.
    struct Shape: Sendable, CustomTestStringConvertible {
        let start: String
        let unit: String
        let end: String

        init(_ start: String, _ unit: String, _ end: String = "") {
            (self.start, self.unit, self.end) = (start, unit, end)
        }

        var testDescription: String { (start + unit.prefix(40) + end).debugDescription }

        func data(_ size: Int) -> Data {
            Data((start + String(repeating: unit, count: size / unit.utf8.count) + end).utf8)
        }
    }

    static let begin = "-----BEGIN CERTIFICATE-----\n"
    static let end = "\n-----END CERTIFICATE-----\n"

    static let texts = [
        Shape("", TLSFixture.certificate + "\n"), Shape(begin, "A", end), Shape(begin, "AAAA\n", end),
        Shape(begin, " ", end), Shape(begin, "=", end), Shape("", begin),
        Shape("", begin + "-----END CERTIFICATE-----\n"),
        Shape("", begin + "-----END A-----\n"), Shape("", "\n"), Shape("", "\r\n"), Shape("", "-"),
        Shape("-----BEGIN ", "-"),
        Shape("-----BEGIN A", "\t"), Shape("-----BEGIN A-----", " ", "\n"), Shape("-----BEGIN ", "A", "-----\n"),
        Shape("-----BEGIN ", "\u{301}", "-----\n"), Shape(begin + "-----END ", "A", "-----\n"), Shape("", "a \n"),
    ]

    @Test("The cost of parsing PEM text is linear", arguments: texts)
    func text(shape: Shape) {
        #expect(Growth.factor(of: shape.data) { _ = PEMBlock.blocks(of: $0) } < Growth.linear)
        #expect(Growth.factor(of: shape.data) { _ = try? TLSCertificate.certificates(in: $0) } < Growth.linear)
        #expect(Growth.factor(of: shape.data) { _ = try? PublicKeyPin(publicKey: $0) } < Growth.linear)
    }

    @Test("The cost of writing a certificate as PEM is linear")
    func writing() throws {
        let bytes = { (size: Int) in Data(count: size) }
        #expect(Growth.factor(of: bytes) { _ = PEMBlock.text(label: "A", $0) } < Growth.linear)
    }

    struct Bytes: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (Int) -> [UInt8]
    }

    /// Sequences within each other, to the innermost.
    private static func nested(_ size: Int, in tag: UInt8) -> [UInt8] {
        var reversed: [UInt8] = []
        while reversed.count < size {
            let length = reversed.count
            if length < 0x80 {
                reversed.append(UInt8(length))
            } else {
                let bytes = withUnsafeBytes(of: UInt32(length).bigEndian, Array.init).drop { $0 == 0 }
                reversed += bytes.reversed() + [0x80 | UInt8(bytes.count)]
            }
            reversed.append(tag)
        }
        return reversed.reversed()
    }

    private static func values(_ size: Int, _ value: [UInt8]) -> [UInt8] {
        DERReader.encoded(DERReader.Tag.sequence, Array(repeatElement(value, count: size / value.count).joined()))
    }

    static let encodings = [
        Bytes(testDescription: "nested sequences") { nested($0, in: DERReader.Tag.sequence) },
        Bytes(testDescription: "nested versions") { nested($0, in: DERReader.Tag.version) },
        Bytes(testDescription: "empty sequences") { values($0, [DERReader.Tag.sequence, 0]) },
        Bytes(testDescription: "integers") { values($0, [DERReader.Tag.integer, 1, 1]) },
        Bytes(testDescription: "one integer") {
            values($0, DERReader.encoded(DERReader.Tag.integer, Array(repeating: 1, count: $0)))
        },
        Bytes(testDescription: "a bare key") { size in
            let integer = DERReader.encoded(DERReader.Tag.integer, Array(repeating: 1, count: size / 2))
            return DERReader.encoded(DERReader.Tag.sequence, integer + integer)
        },
        Bytes(testDescription: "lengths beyond the end") { Array(repeating: 0x30, count: $0) },
    ]

    @Test("The cost of parsing DER is linear", arguments: encodings)
    func encoding(_ bytes: Bytes) {
        let growth = Growth.factor(of: bytes.make) { bytes in
            // All that there is, of each value the values within it.
            var readers = [DERReader(bytes[...])]
            while var reader = readers.popLast() {
                guard let value = reader.read() else { continue }
                readers.append(reader)
                if value.tag & 0x20 != 0 { readers.append(DERReader(value.content)) }
            }
        }
        #expect(growth < Growth.linear)
        let data = { (size: Int) in Data(bytes.make(size)) }
        #expect(Growth.factor(of: data) { _ = try? TLSCertificate($0) } < Growth.linear)
        #expect(Growth.factor(of: data) { _ = try? PublicKeyPin(publicKey: $0) } < Growth.linear)
        #expect(Growth.factor(of: data) { _ = ServerCertificate(der: $0) } < Growth.linear)
        #expect(Growth.factor(of: bytes.make) { _ = DistinguishedName.text($0[...]) } < Growth.linear)
        #expect(Growth.factor(of: bytes.make) { _ = DottedIdentifier.text($0[...]) } < Growth.linear)
    }
}
#endif
