import TestSupport
import Testing

@testable import LarkspurCredentials

@Suite("Signatures with key pairs", .enabled(if: OpenSSLKey.unavailability == nil, "There is no OpenSSL."))
struct SigningKeyTests {
    private static let message = Data(KeyFixtures.message.utf8)

    private static let pairs: [(KeyFixtures.Pair, SignatureAlgorithm, Int)] = [
        (KeyFixtures.rsa, .rsaPSSSHA512, 256), (KeyFixtures.rsa, .rsaPSSSHA256, 256),
        (KeyFixtures.rsa, .rsaPKCS1SHA256, 256), (KeyFixtures.rsaPSS, .rsaPSSSHA512, 256),
        (KeyFixtures.rsaPSS, .rsaPSSSHA256, 256), (KeyFixtures.p256, .ecdsaP256SHA256, 64),
        (KeyFixtures.p384, .ecdsaP384SHA384, 96), (KeyFixtures.ed25519, .ed25519, 64),
    ]

    @Test("A signature is valid for its own data, key, algorithm and bytes alone", arguments: pairs)
    func signature(_ pair: KeyFixtures.Pair, _ algorithm: SignatureAlgorithm, _ length: Int) throws {
        let key = try SigningKey(pem: pair.privateKey)
        let verifier = try VerificationKey(pem: pair.publicKey)
        for data in [Self.message, Data(), Data(repeating: 7, count: 100_000), Self.message.dropFirst(3)] {
            let signature = try key.signature(of: data, with: algorithm)
            #expect(signature.count == length)
            #expect(try verifier.isValid(signature, for: data, with: algorithm))
            #expect(try verifier.isValid(signature, for: data + [0], with: algorithm) == false)
            for index in [0, length / 2 - 1, length / 2, length - 1] {
                var changed = signature
                changed[index] ^= 1
                #expect(try verifier.isValid(changed, for: data, with: algorithm) == false, "\(index)")
            }
            let others = [
                signature.dropLast(), signature + [0], [0] + signature, Data(), Data(count: length),
                Data(repeating: 0xFF, count: length), Data(count: 100_000),
            ]
            for other in others { #expect(try verifier.isValid(other, for: data, with: algorithm) == false) }
        }
    }

    @Test("A signature of another key or another algorithm of the key is invalid")
    func otherKey() throws {
        let signature = try SigningKey(pem: KeyFixtures.p256Traditional)
            .signature(of: Self.message, with: .ecdsaP256SHA256)
        let owner = try VerificationKey(pem: KeyFixtures.p256TraditionalPublic)
        let other = try VerificationKey(pem: KeyFixtures.p256Public)
        #expect(try owner.isValid(signature, for: Self.message, with: .ecdsaP256SHA256))
        #expect(try other.isValid(signature, for: Self.message, with: .ecdsaP256SHA256) == false)

        let rsa = try SigningKey(pem: KeyFixtures.rsaPrivate)
        let verifier = try VerificationKey(pem: KeyFixtures.rsaPublic)
        let algorithms: [SignatureAlgorithm] = [.rsaPSSSHA512, .rsaPSSSHA256, .rsaPKCS1SHA256]
        for algorithm in algorithms {
            let signature = try rsa.signature(of: Self.message, with: algorithm)
            let valid = try algorithms.filter { try verifier.isValid(signature, for: Self.message, with: $0) }
            #expect(valid == [algorithm])
        }
    }

    // MARK: Known signatures

    @Test(
        "Ed25519 has the signatures of RFC 8032, section 7.1",
        arguments: [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
            ),
            (
                "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
                "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
            ),
        ]
    )
    func ed25519(_ secret: String, _ point: String, _ message: String, _ signature: String) throws {
        let seed = Data(hexadecimal: "302e020100300506032b657004220420" + secret)
        let key = try SigningKey(pem: pem("PRIVATE KEY", seed))
        let verifier = try VerificationKey(
            pem: pem("PUBLIC KEY", Data(hexadecimal: "302a300506032b6570032100" + point))
        )
        let data = Data(hexadecimal: message)
        #expect(try key.signature(of: data, with: .ed25519) == Data(hexadecimal: signature))
        #expect(try verifier.isValid(Data(hexadecimal: signature), for: data, with: .ed25519))
    }

    private func pem(_ label: String, _ der: Data) -> String {
        "-----BEGIN \(label)-----\n\(der.base64EncodedString())\n-----END \(label)-----"
    }

    @Test("RSASSA-PKCS1-v1_5 has the signature of the program openssl")
    func rsaPKCS1() throws {
        let key = try SigningKey(pem: KeyFixtures.rsaPrivate)
        let signature = try key.signature(of: Self.message, with: .rsaPKCS1SHA256)
        #expect(signature == Data(lines: KeyFixtures.rsaPKCS1Signature))
    }

    @Test(
        "Signatures of the program openssl are valid, but not with a salt of another length",
        arguments: [
            (KeyFixtures.rsa, .rsaPSSSHA256, KeyFixtures.rsaPSSSHA256Signature, true),
            (KeyFixtures.rsa, .rsaPSSSHA512, KeyFixtures.rsaPSSSHA512Signature, true),
            (KeyFixtures.rsa, .rsaPSSSHA256, KeyFixtures.rsaPSSSaltSignature, false),
            (KeyFixtures.rsa, .rsaPSSSHA512, KeyFixtures.rsaPSSSHA256Signature, false),
            (KeyFixtures.rsa, .rsaPKCS1SHA256, KeyFixtures.rsaPKCS1Signature, true),
            (KeyFixtures.rsa1024, .rsaPKCS1SHA256, KeyFixtures.rsa1024Signature, true),
            (KeyFixtures.p384, .ecdsaP384SHA384, KeyFixtures.p384Signature, true),
        ] as [(KeyFixtures.Pair, SignatureAlgorithm, String, Bool)]
    )
    func known(_ pair: KeyFixtures.Pair, _ algorithm: SignatureAlgorithm, _ signature: String, _ isValid: Bool) throws {
        let key = try VerificationKey(pem: pair.publicKey)
        #expect(try key.isValid(Data(lines: signature), for: Self.message, with: algorithm) == isValid)
    }

    @Test("The ES256 signature of RFC 7515, appendix A.3, is valid")
    func es256() throws {
        let key = try VerificationKey(
            pem: """
                -----BEGIN PUBLIC KEY-----
                MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvR
                VEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
                -----END PUBLIC KEY-----
                """
        )
        let content =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        let signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6+Xx+F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3+Kg6NU1Q=="
        #expect(try key.isValid(Data(lines: signature), for: Data(content.utf8), with: .ecdsaP256SHA256))
    }

    // MARK: Algorithms and keys

    @Test(
        "An algorithm that does not fit the key is refused by name",
        arguments: [
            (KeyFixtures.rsa, [.ecdsaP256SHA256, .ecdsaP384SHA384, .ed25519], "RSA with 2048 bits"),
            (
                KeyFixtures.rsaPSS, [.rsaPKCS1SHA256, .ecdsaP256SHA256, .ecdsaP384SHA384, .ed25519],
                "RSASSA-PSS with 2048 bits"
            ),
            (
                KeyFixtures.p256, [.rsaPSSSHA512, .rsaPSSSHA256, .rsaPKCS1SHA256, .ecdsaP384SHA384, .ed25519], "P-256"
            ),
            (
                KeyFixtures.p384, [.rsaPSSSHA512, .rsaPSSSHA256, .rsaPKCS1SHA256, .ecdsaP256SHA256, .ed25519], "P-384"
            ),
            (
                KeyFixtures.ed25519,
                [.rsaPSSSHA512, .rsaPSSSHA256, .rsaPKCS1SHA256, .ecdsaP256SHA256, .ecdsaP384SHA384], "Ed25519"
            ),
            (KeyFixtures.p521, [.rsaPKCS1SHA256, .ecdsaP256SHA256, .ecdsaP384SHA384, .ed25519], "another kind"),
        ] as [(KeyFixtures.Pair, [SignatureAlgorithm], String)]
    )
    func unsuitable(_ pair: KeyFixtures.Pair, _ algorithms: [SignatureAlgorithm], _ kind: String) throws {
        let key = try SigningKey(pem: pair.privateKey)
        let verifier = try VerificationKey(pem: pair.publicKey)
        for algorithm in algorithms {
            let signing = #expect(throws: SignatureKeyError.self) {
                try key.signature(of: Self.message, with: algorithm)
            }
            let verifying = #expect(throws: SignatureKeyError.self) {
                try verifier.isValid(Data(count: 64), for: Self.message, with: algorithm)
            }
            for error in [signing, verifying] {
                #expect(error?.reason == .unsuitable)
                #expect(error?.message.contains("\(algorithm) ") == true && error?.message.contains(kind) == true)
            }
        }
    }

    @Test("An RSA key with 1024 bits does not sign")
    func shortKey() throws {
        let key = try SigningKey(pem: KeyFixtures.rsa1024Private)
        for algorithm in [SignatureAlgorithm.rsaPSSSHA512, .rsaPSSSHA256, .rsaPKCS1SHA256] {
            let error = #expect(throws: SignatureKeyError.self) { try key.signature(of: Self.message, with: algorithm) }
            #expect(error?.reason == .unsuitable && error?.message.contains("at least 2048 bits") == true)
        }
    }

    @Test("Several tasks use one key at a time")
    func sharing() async throws {
        let key = try SigningKey(pem: KeyFixtures.rsaPrivate)
        let verifier = try VerificationKey(pem: KeyFixtures.rsaPublic)
        let valid = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let data = Data(repeating: UInt8(number), count: 1000)
                    return try (0..<20).filter { _ in
                        let signature = try key.signature(of: data, with: .rsaPSSSHA256)
                        return try verifier.isValid(signature, for: data, with: .rsaPSSSHA256)
                    }.count
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(valid == 160)
    }
}

@Suite("Signatures without OpenSSL", .enabled(if: OpenSSLKey.unavailability != nil, "There is OpenSSL."))
struct MissingOpenSSLTests {
    @Test("Without OpenSSL, each key is an error that names it")
    func missing() {
        let errors = [
            #expect(throws: SignatureKeyError.self) { try SigningKey(pem: KeyFixtures.p256Private) },
            #expect(throws: SignatureKeyError.self) { try VerificationKey(pem: KeyFixtures.p256Public) },
        ]
        for error in errors { #expect(error?.reason == .unavailable && error?.message.contains("OpenSSL") == true) }
    }
}

extension Data {
    /// Creates data from hexadecimal digits.
    init(hexadecimal text: String) {
        let digits = text.compactMap { $0.hexDigitValue.map(UInt8.init) }
        self.init(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    /// Creates data from base64 on several lines.
    init(lines text: String) { self = Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data() }
}
