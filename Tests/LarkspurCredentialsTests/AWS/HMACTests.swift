import Foundation
import HTTPSyntax
import Testing

@Suite("HMAC-SHA256")
struct HMACTests {
    /// A test case of RFC 4231, section 4. Case 5 has a code that is cut short, which is not supported.
    struct Case: Sendable {
        let key: [UInt8]
        let message: [UInt8]
        let code: String

        static let all = [
            Case(
                key: [UInt8](repeating: 0x0B, count: 20),
                message: Array("Hi There".utf8),
                code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            Case(
                key: Array("Jefe".utf8),
                message: Array("what do ya want for nothing?".utf8),
                code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            Case(
                key: [UInt8](repeating: 0xAA, count: 20),
                message: [UInt8](repeating: 0xDD, count: 50),
                code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            Case(
                key: Array(1...25),
                message: [UInt8](repeating: 0xCD, count: 50),
                code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
            ),
            Case(
                key: [UInt8](repeating: 0xAA, count: 131),
                message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            Case(
                key: [UInt8](repeating: 0xAA, count: 131),
                message: Array(
                    "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm."
                        .utf8
                ),
                code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
            ),
        ]
    }

    @Test("The codes are those of RFC 4231, for messages in one part and in several", arguments: Case.all)
    func codes(_ test: Case) {
        #expect(HMACSHA256.code(of: Data(test.message), key: test.key).hexadecimal == test.code)
        for size in [1, 7, 64] {
            var code = HMACSHA256(key: test.key)
            for start in stride(from: 0, to: test.message.count, by: size) {
                test.message[start..<min(start + size, test.message.count)].withUnsafeBytes { code.update($0) }
            }
            #expect(code.finished().hexadecimal == test.code)
        }
    }

    @Test("Codes are equal only if each of their bytes is")
    func comparison() {
        let code = HMACSHA256.code(of: Data(), key: Data())
        #expect(code.isEqualInConstantTime(to: Data(code)) && [].isEqualInConstantTime(to: []))
        #expect(!code.isEqualInConstantTime(to: code.dropLast()) && !code.isEqualInConstantTime(to: code + [0]))
        for first in code.indices {
            for second in first..<code.count {
                var changed = code
                changed[first] ^= 0x10
                if second > first { changed[second] ^= 0x10 }
                #expect(!code.isEqualInConstantTime(to: changed), "\(first) \(second)")
            }
        }
    }
}
