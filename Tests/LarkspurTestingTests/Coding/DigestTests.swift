import HTTPSyntax
import Foundation
import Testing

@testable import LarkspurTesting

@Suite struct DigestTests {
    @Test(
        "MD5 has the results of RFC 1321",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            (
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                "d174ab98d277d9f5a5611c2c9f419d9f"
            ),
            (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
        ]
    )
    func md5(message: String, hash: String) {
        #expect(MD5.hash(Data(message.utf8)).hexadecimal == hash)
    }

    @Test(
        "SHA-1 has the results of RFC 3174's examples",
        arguments: [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
            (String(repeating: "a", count: 10_000), "a080cbda64850abb7b7f67ee875ba068074ff6fe"),
        ]
    )
    func sha1(message: String, hash: String) {
        #expect(SHA1.hash(Data(message.utf8)).hexadecimal == hash)
    }

    @Test(
        "SHA-256 has the results of FIPS 180-4's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                String(repeating: "a", count: 10_000),
                "27dd1f61b867b6a0f6e9d8a41c43231de52107e53ae424de8f847b821db4b711"
            ),
        ]
    )
    func sha256(message: String, hash: String) {
        #expect(SHA256.hash(Data(message.utf8)).hexadecimal == hash)
    }

    @Test(
        "SHA-512 has the results of FIPS 180-4's examples",
        arguments: [
            (
                "",
                """
                cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce\
                47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e
                """
            ),
            (
                "abc",
                """
                ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
                """
            ),
            (
                """
                abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopq\
                klmnopqrlmnopqrsmnopqrstnopqrstu
                """,
                """
                8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018\
                501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909
                """
            ),
            (
                String(repeating: "a", count: 10_000),
                """
                0593036f4f479d2eb8078ca26b1d59321a86bdfcb04cb40043694f1eb0301b8a\
                cd20b936db3c916ebcc1b609400ffcf3fa8d569d7e39293855668645094baf0e
                """
            ),
        ]
    )
    func sha512(message: String, hash: String) {
        #expect(SHA512.hash(Data(message.utf8)).hexadecimal == hash)
    }

    @Test(
        "The hash of parts equals the hash of the whole, for any parts",
        arguments: [0, 1, 55, 64, 111, 128, 200, 300]
    )
    func parts(length: Int) {
        let message = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        for cut in 0...length {
            var (short, long) = (SHA256(), SHA512())
            for part in [message.prefix(cut), message.dropFirst(cut)] {
                part.withUnsafeBytes { short.update($0) }
                part.withUnsafeBytes { long.update($0) }
            }
            #expect(short.finished() == SHA256.hash(message))
            #expect(long.finished() == SHA512.hash(message))
        }
    }

    @Test(
        "The credentials of RFC 7616, section 3.9.1, are valid",
        arguments: [
            (DigestAlgorithm.md5, "8ca523f5e9506fed4657c9700eebdbec"),
            (.sha256, "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ]
    )
    func credentials(algorithm: DigestAlgorithm, response: String) throws {
        let challenge = IssuedChallenge(
            realm: "http-auth@example.org",
            opaque: "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
            algorithm: algorithm,
            qop: "auth"
        )
        let field = """
            Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", \
            algorithm=\(algorithm.rawValue), nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, \
            cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, response="\(response)", \
            opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        let credentials = try #require(DigestCredentials(field))
        func isValid(_ target: String, _ user: String, _ password: String) -> Bool {
            let request = LoopbackServer.Request(head: ReceivedHead(method: "GET", target: target), connection: 1)
            return credentials.areValid(for: request, user: user, password: password, challenge: challenge)
        }
        #expect(isValid("/dir/index.html", "Mufasa", "Circle of Life"))
        #expect(DigestCredentials("Digest \u{301}a=1, nonce=\"n\",\u{FE0F}b=2")?.nonce == "n")
        #expect(!isValid("/dir/index.html", "Mufasa", "circle of life"))
        #expect(!isValid("/dir/index.html", "Simba", "Circle of Life"))
        #expect(!isValid("/dir/", "Mufasa", "Circle of Life"))
    }

    @Test("A nonce can be used once for each count, up to its limit")
    func nonces() {
        let nonces = DigestNonces()
        let nonce = nonces.make()
        #expect(nonces.use("unknown", count: 1, limit: nil) == .stale)
        #expect(nonces.use(nonce, count: 1, limit: 2) == .fresh)
        #expect(nonces.use(nonce, count: 1, limit: 2) == .stale)
        #expect(nonces.use(nonce, count: 2, limit: 2) == .fresh)
        #expect(nonces.use(nonce, count: 3, limit: 2) == .stale)
        #expect(nonces.use(nonce, count: nil, limit: nil) == .fresh)
        #expect(nonces.use(nonce, count: nil, limit: nil) == .fresh)
    }
}
