import HTTPSyntax
import Testing

@Suite("UTF8Validator")
struct UTF8ValidatorTests {
    /// Returns the position of the first bad byte of bytes that come one by one.
    private func firstBad(_ bytes: [UInt8]) -> Int? {
        var validator = UTF8Validator()
        return bytes.indices.first { index in bytes[index...index].withUnsafeBytes { validator.take($0) } != nil }
    }

    private func wholeFirstBad(_ bytes: [UInt8]) -> Int? {
        var validator = UTF8Validator()
        return bytes.withUnsafeBytes { validator.take($0) }
    }

    private func isValid(_ bytes: [UInt8]) -> Bool {
        var validator = UTF8Validator()
        return bytes.withUnsafeBytes { validator.take($0) } == nil && validator.isComplete
    }

    @Test(
        "The first invalid byte of a text is found at once",
        arguments: [
            ([0x80], 0), ([0xC0, 0xAF], 0), ([0xC1], 0), ([0xF5], 0), ([0xFF], 0), ([0xC2, 0x41], 1),
            ([0xE0, 0x9F], 1), ([0xED, 0xA0], 1), ([0xF0, 0x8F], 1), ([0xF4, 0x90], 1), ([0xE1, 0x80, 0xC0], 2),
            ([0xF1, 0x80, 0x80, 0x7F], 3), (Array("κόσμε".utf8) + [0xF4, 0x90, 0x80, 0x80], 11),
            (Array("0123456789abcdef".utf8) + [0xFE] + Array("0123456789".utf8), 16),
        ] as [([UInt8], Int)]
    )
    func firstBadByte(bytes: [UInt8], position: Int) {
        #expect(firstBad(bytes) == position)
        #expect(wholeFirstBad(bytes) == position)
    }

    @Test("Every character is valid, and no surrogate is")
    func everyCharacter() {
        var scalars = 0
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            scalars += isValid(Array(Character(scalar).utf8)) ? 1 : 0
        }
        #expect(scalars == 0x110000 - 0x800)
        for value in UInt8(0xA0)...0xBF { #expect(!isValid([0xED, value, 0x80])) }
    }

    @Test("All pairs of bytes, and fours of the boundary values, are validated as by the standard library")
    func combinations() {
        for first in UInt8.min ... .max {
            for second in UInt8.min ... .max where isValid([first, second]) != standard([first, second]) {
                Issue.record("\(first) \(second)")
            }
        }
        let edges: [UInt8] = [
            0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5,
        ]
        for first in edges {
            for second in edges {
                for third in edges {
                    for fourth in edges {
                        let bytes = [first, second, third, fourth]
                        if isValid(bytes) != standard(bytes) { Issue.record("\(bytes)") }
                        if firstBad(bytes) != wholeFirstBad(bytes) { Issue.record("\(bytes) in chunks") }
                    }
                }
            }
        }
    }

    private func standard(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    @Test("A text that ends inside a character is incomplete, but not invalid", arguments: ["é", "€", "😀"])
    func incomplete(text: String) {
        let bytes = Array(text.utf8)
        for count in 1..<bytes.count {
            #expect(firstBad(Array(bytes.prefix(count))) == nil)
            #expect(!isValid(Array(bytes.prefix(count))))
        }
        #expect(isValid(bytes))
    }
}
