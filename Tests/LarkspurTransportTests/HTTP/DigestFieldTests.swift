import Foundation
import HTTPSyntax
import Testing

@Suite struct DigestFieldTests {
    /// The digests of `{"hello": "world"}` and a line feed, from RFC 9530.
    private static let sha256 = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="

    static let valid: [(text: String, digests: [TextKey: Data])] = [
        ("", [:]),
        ("  ", [:]),
        ("sha-256=:\(sha256):", ["sha-256": Data(base64Encoded: sha256) ?? Data()]),
        ("a=:AQI=:, b=:AQID:", ["a": Data([1, 2]), "b": Data([1, 2, 3])]),
        ("a=:AQI=:\t,\tb=:AQID:  ", ["a": Data([1, 2]), "b": Data([1, 2, 3])]),
        ("a=:AQI=:,a=:AQID:", ["a": Data([1, 2, 3])]),
        ("a=::", ["a": Data()]),
        ("a=:AQI:", ["a": Data([1, 2])]),
        ("*a-b.c_d*9=:AQ==:", ["*a-b.c_d*9": Data([1])]),
        (#"a=:AQ==:;q;r=1;  s=-1.5;t="x\"\\";u=*tok/en:;v=?1;w=:AQ==:, b=:Ag==:"#, ["a": Data([1]), "b": Data([2])]),
    ]

    @Test("A dictionary of byte sequences is parsed", arguments: valid)
    func reading(text: String, digests: [TextKey: Data]) {
        #expect(DigestField(text)?.digests == digests)
    }

    @Test(
        "A field that is not a dictionary of byte sequences is malformed",
        arguments: [
            "a", "a=", "a=1", "a=\"b\"", "a=b", "a=?1", "a=(:AQ==: :AQ==:)", "a=:AQ==", "a=AQ==:", "a=:AQ==:,",
            "a=:AQ==:, ",
            ",a=:AQ==:", "a=:AQ==: b=:AQ==:", "A=:AQ==:", "sha-256:AQ==:", "=:AQ==:", "9=:AQ==:", "a =:AQ==:",
            "a= :AQ==:", "a=:A Q==:", "a=:A:", "a=:AQ=A:", "a=:AQ=:", "a=:AQ===:", "a=:AQID=:", "a=:=:", "a=:AQ_-:",
            "a=:AQ==:;", "a=:AQ==:;Q", "a=:AQ==:;q=",
            "a=:AQ==:;q=1234567890123456", "a=:AQ==:;q=1.", "a=:AQ==:;q=1.2345", "a=:AQ==:;q=\"x", "a=:AQ==:;q=\"\\x\"",
            "a=:AQ==:;q=?2", "a=:AQ==:;q=%", "a=:AQ==: ;q", "sha-256=RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=",
            "\ta=:AQ==:",
        ]
    )
    func malformed(text: String) {
        #expect(DigestField(text) == nil)
    }

    @Test("Unknown and insecure algorithms are ignored")
    func known() {
        let others = "md5=:AQ==:, sha=:AQ==:, unixsum=:AQ==:, id-sha-256=:AQ==:"
        let field = DigestField(others + ", sha-512=:Ag==:, sha-256=:Aw==:")
        #expect(field?.known == [.sha512: Data([2]), .sha256: Data([3])])
        #expect(DigestField("md5=:AQ==:")?.known == [:])
    }

    @Test("The hash of content in parts equals the hash of the whole, for the requested algorithms")
    func hashes() {
        let content = Data("{\"hello\": \"world\"}\n".utf8)
        var hashes = ContentHashes([.sha256])
        for byte in content { hashes.update(Data([byte])) }
        #expect(hashes.finished(.sha256)?.base64EncodedString() == Self.sha256)
        #expect(hashes.finished(.sha512) == nil)
        var both = ContentHashes([.sha256, .sha512])
        both.update(content)
        #expect(both.finished(.sha256) == hashes.finished(.sha256))
        #expect(both.finished(.sha512) == Data(SHA512.hash(content)))
    }
}
