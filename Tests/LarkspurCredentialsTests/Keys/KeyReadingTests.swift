import TestSupport
import Testing

@testable import LarkspurCredentials

@Suite("Keys in PEM", .enabled(if: OpenSSLKey.unavailability == nil, "There is no OpenSSL."))
struct KeyReadingTests {
    private static let message = Data(KeyFixtures.message.utf8)

    /// Returns whether the public key of a pair verifies a signature of a private key.
    private func belong(_ key: SigningKey, _ publicKey: String, _ algorithm: SignatureAlgorithm) throws -> Bool {
        let signature = try key.signature(of: Self.message, with: algorithm)
        return try VerificationKey(pem: publicKey).isValid(signature, for: Self.message, with: algorithm)
    }

    @Test("The older forms are read, and text and other objects around a key are passed over")
    func forms() throws {
        let curve = try SigningKey(pem: KeyFixtures.p256Traditional)
        #expect(try belong(curve, KeyFixtures.p256TraditionalPublic, .ecdsaP256SHA256))
        let text = "Made in 2026: é\n\n\(KeyFixtures.p256Private)\nEnd\n\(KeyFixtures.rsaPrivate)"
        let first = try SigningKey(pem: text.replacingOccurrences(of: "\n", with: "\r\n"), password: "not needed")
        #expect(try belong(first, "\nx\n\(KeyFixtures.p256Public)\ny", .ecdsaP256SHA256))
    }

    @Test(
        "An encrypted key needs its password",
        arguments: [
            (KeyFixtures.p256Encrypted, KeyFixtures.p256, .ecdsaP256SHA256),
            (KeyFixtures.rsaTraditional, KeyFixtures.rsa, .rsaPKCS1SHA256),
        ] as [(String, KeyFixtures.Pair, SignatureAlgorithm)]
    )
    func encrypted(_ pem: String, _ pair: KeyFixtures.Pair, _ algorithm: SignatureAlgorithm) throws {
        let key = try SigningKey(pem: pem, password: KeyFixtures.password)
        #expect(try belong(key, pair.publicKey, algorithm))

        let missing = #expect(throws: SignatureKeyError.self) { try SigningKey(pem: pem) }
        #expect(missing?.reason == .wrongPassword && missing?.message.contains("there is no password") == true)
        for password in [
            "", "open", "canary-word", "\0" + KeyFixtures.password, String(repeating: "canary", count: 1000),
        ] {
            let error = #expect(throws: SignatureKeyError.self) { try SigningKey(pem: pem, password: password) }
            #expect(error?.reason == .wrongPassword)
            #expect(error?.message.contains("password of the key is wrong") == true)
            #expect(error.map { "\($0) \(String(reflecting: $0))" }?.contains("canary") == false)
        }
    }

    @Test(
        "A text without a key is malformed",
        arguments: [
            "", "\n", "key", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
            "-----BEGIN PUBLIC KEY-----\nMAA=\n-----END PUBLIC KEY-----",
            "-----BEGIN PRIVATE KEY-----\n!\n-----END PRIVATE KEY-----", "\0",
            String(repeating: "-----BEGIN ", count: 999),
            String(KeyFixtures.p256Private.dropLast(40)), String(KeyFixtures.rsaPrivate.dropFirst(4)),
            KeyFixtures.p256Private.replacingOccurrences(of: "PRIVATE KEY", with: "CERTIFICATE"),
        ]
    )
    func malformed(_ text: String) {
        let signing = #expect(throws: SignatureKeyError.self) { try SigningKey(pem: text) }
        let verifying = #expect(throws: SignatureKeyError.self) { try VerificationKey(pem: text) }
        #expect(signing?.reason == .malformed && signing?.message.contains("private key in PEM") == true)
        #expect(verifying?.reason == .malformed && verifying?.message.contains("public key in PEM") == true)
    }

    @Test("A public key does not sign, and a private key does not verify")
    func wrongKind() {
        for pair in [KeyFixtures.rsa, KeyFixtures.p256, KeyFixtures.ed25519] {
            let signing = #expect(throws: SignatureKeyError.self) { try SigningKey(pem: pair.publicKey) }
            let verifying = #expect(throws: SignatureKeyError.self) { try VerificationKey(pem: pair.privateKey) }
            #expect(signing?.reason == .malformed && verifying?.reason == .malformed)
        }
    }

    @Test("Random changes of keys lead to errors or to other keys, and no error contains a part of the key", .seeded)
    func mutations() {
        var generator = SeededGenerator(48)
        let pairs = [KeyFixtures.rsa, KeyFixtures.rsaPSS, KeyFixtures.p256, KeyFixtures.p384, KeyFixtures.ed25519]
        let algorithms: [SignatureAlgorithm] = [
            .rsaPSSSHA512, .rsaPSSSHA256, .rsaPKCS1SHA256, .ecdsaP256SHA256, .ecdsaP384SHA384, .ed25519,
        ]
        let secrets = pairs.flatMap { $0.privateKey.split(separator: "\n").filter { !$0.hasPrefix("-----") } }
            .map { String($0.prefix(12)) }
        for round in 0..<300 {
            let pair = pairs[round % pairs.count]
            let texts = [pair.privateKey, pair.publicKey].map { mutated($0, &generator) }
            do {
                let key = try SigningKey(pem: texts[0])
                for algorithm in algorithms { _ = try? key.signature(of: Self.message, with: algorithm) }
            } catch {
                let text = "\(error) \(String(reflecting: error))"
                #expect(error.reason == .malformed || error.reason == .wrongPassword, "\(texts[0])")
                #expect(!secrets.contains { text.contains($0) })
            }
            guard let key = try? VerificationKey(pem: texts[1]) else { continue }
            for algorithm in algorithms { _ = try? key.isValid(Data(count: 64), for: Self.message, with: algorithm) }
        }
    }

    /// Returns a text with some other, missing and repeated characters.
    private func mutated(_ text: String, _ generator: inout SeededGenerator) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-\n\r :\0é".utf8)
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: bytes.remove(at: index)
            case 1: bytes.insert(bytes[index], at: index)
            case 2: bytes.removeSubrange(index..<min(bytes.count, index + 64))
            default: bytes[index] = alphabet.randomElement(using: &generator) ?? 0
            }
            if bytes.isEmpty { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("Descriptions and mirrors of a key name its kind, and do not contain the key")
    func descriptions() throws {
        let key = try SigningKey(pem: KeyFixtures.rsaPrivate)
        #expect("\(key)" == "SigningKey(RSA with 2048 bits)")
        let verifier = try VerificationKey(pem: KeyFixtures.ed25519Public)
        #expect("\(verifier)" == "VerificationKey(Ed25519)")
        var text = "\(key) \(String(reflecting: key))"
        dump(key, to: &text)
        let lines = KeyFixtures.rsaPrivate.split(separator: "\n")
        #expect(!lines.contains { text.contains($0) })
    }

    // MARK: Files

    let folder = TemporaryFolder()

    @Test("A key is read from a file")
    func file() throws {
        let plain = try folder.file("key.pem", Data(KeyFixtures.ed25519Private.utf8))
        #expect(try belong(SigningKey(contentsOf: plain), KeyFixtures.ed25519Public, .ed25519))
        let publicFile = try folder.file("public.pem", Data(KeyFixtures.ed25519Public.utf8))
        let signature = try SigningKey(contentsOf: plain).signature(of: Self.message, with: .ed25519)
        let verifier = try VerificationKey(contentsOf: publicFile)
        #expect(try verifier.isValid(signature, for: Self.message, with: .ed25519))
        let encrypted = try folder.file("encrypted.pem", Data(KeyFixtures.p256Encrypted.utf8))
        let key = try SigningKey(contentsOf: encrypted, password: KeyFixtures.password)
        #expect(try belong(key, KeyFixtures.p256Public, .ecdsaP256SHA256))
    }

    @Test("An error of a file names its path")
    func fileErrors() throws {
        let files: [(URL, SignatureKeyError.Reason)] = [
            (try folder.file("text.pem", Data("x".utf8)), .malformed),
            (try folder.file("encrypted.pem", Data(KeyFixtures.p256Encrypted.utf8)), .wrongPassword),
            (try folder.file("large.pem", Data(count: 1 << 20 + 1)), .unreadable),
            (folder.url.appendingPathComponent("missing.pem"), .unreadable), (folder.url, .unreadable),
            (URL(fileURLWithPath: "/dev/zero"), .unreadable),
        ]
        for (file, reason) in files {
            let error = #expect(throws: SignatureKeyError.self) { try SigningKey(contentsOf: file, password: nil) }
            #expect(error?.reason == reason && error?.message.hasPrefix("\(file.path): ") == true, "\(file.path)")
            #expect(error.map { "\($0)" } == error?.message && error?.localizedDescription == error?.message)
            let other = #expect(throws: SignatureKeyError.self) { try VerificationKey(contentsOf: file) }
            #expect(other?.reason == (reason == .wrongPassword ? .malformed : reason))
            #expect(other?.message.hasPrefix("\(file.path): ") == true)
        }
        let web = try #require(URL(string: "https://host.test/key.pem"))
        #expect(throws: SignatureKeyError.self) { try SigningKey(contentsOf: web) }
    }
}
