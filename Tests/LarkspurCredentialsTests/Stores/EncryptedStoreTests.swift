import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurCredentials

@Suite("Encrypted stores", .enabled(if: AuthenticatedCipher.unavailability == nil, "There is no OpenSSL."))
struct EncryptedStoreTests {
    /// A vector of AES-256-GCM, in hexadecimal digits.
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let key: String
        let nonce: String
        var text = ""
        var associatedData = ""
        var sealed = ""
        let tag: String

        var testDescription: String { name }
    }

    private static let text = """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255
        """
    private static let sealed = """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
        8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad
        """

    /// Those of McGrew and Viega's proposal to NIST, and the first ones of NIST's file gcmEncryptExtIV256.
    private static let vectors = [
        Vector(
            name: "case 13",
            key: String(repeating: "00", count: 32),
            nonce: String(repeating: "00", count: 12),
            tag: "530f8afbc74536b9a963b4f1c4cb738b"
        ),
        Vector(
            name: "case 14",
            key: String(repeating: "00", count: 32),
            nonce: String(repeating: "00", count: 12),
            text: String(repeating: "00", count: 16),
            sealed: "cea7403d4d606b6e074ec5d3baf39d18",
            tag: "d0d1c8a799996bf0265b98b5d48ab919"
        ),
        Vector(
            name: "case 15",
            key: String(repeating: "feffe9928665731c6d6a8f9467308308", count: 2),
            nonce: "cafebabefacedbaddecaf888",
            text: text,
            sealed: sealed,
            tag: "b094dac5d93471bdec1a502270e3cc6c"
        ),
        Vector(
            name: "case 16",
            key: String(repeating: "feffe9928665731c6d6a8f9467308308", count: 2),
            nonce: "cafebabefacedbaddecaf888",
            text: String(text.prefix(120)),
            associatedData: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            sealed: String(sealed.prefix(120)),
            tag: "76fc6ece0f4e1768cddf8853bb2d551b"
        ),
        Vector(
            name: "NIST, nothing",
            key: "b52c505a37d78eda5dd34f20c22540ea1b58963cf8e5bf8ffa85f9f2492505b4",
            nonce: "516c33929df5a3284ff463d7",
            tag: "bdc1ac884d332457a1d2664f168c76f0"
        ),
        Vector(
            name: "NIST, 16 bytes",
            key: "31bdadd96698c204aa9ce1448ea94ae1fb4a9a0b3c9d773b51bb1822666b8f22",
            nonce: "0d18e06c7c725ac9e362e1ce",
            text: "2db5168e932556f8089a0622981d017d",
            sealed: "fa4362189661d163fcd6a56d8bf0405a",
            tag: "d636ac1bbedd5cc3ee727dc2ab4a9489"
        ),
        Vector(
            name: "NIST, 16 associated bytes",
            key: "78dc4e0aaf52d935c3c01eea57428f00ca1fd475f5da86a49c8dd73d68c8e223",
            nonce: "d79cf22d504cc793c3fb6c8a",
            associatedData: "b96baa8c1c75a671bfb2d08d06be5f36",
            tag: "3e5d486aa2e30b22e040b85723a06e76"
        ),
    ]

    private static func bytes(_ digits: String) -> [UInt8] {
        let digits = Array(digits.utf8)
        return stride(from: 0, to: digits.count, by: 2).compactMap { index in
            UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16)
        }
    }

    private static let key = Data((0..<32).map { UInt8($0) })
    private let base = InMemorySharedStore()

    @Test("Known texts have known encryptions, and are decrypted again", arguments: vectors)
    func vector(_ vector: Vector) throws {
        let cipher = try #require(AuthenticatedCipher(key: Self.bytes(vector.key)))
        let (text, nonce) = (Self.bytes(vector.text), Self.bytes(vector.nonce))
        let associatedData = Self.bytes(vector.associatedData)
        let sealed = try #require(cipher.seal(text, nonce: nonce, associatedData: associatedData))
        #expect(sealed.data == Self.bytes(vector.sealed) && sealed.tag == Self.bytes(vector.tag))
        #expect(
            cipher.open(sealed.data, tag: sealed.tag, nonce: nonce, associatedData: associatedData) == text
        )
    }

    @Test("A value with any changed byte, another length, another key or another place cannot be read")
    func tampering() async throws {
        let store = try base.encrypted(with: Self.key)
        let text = Data("a refresh token".utf8)
        #expect(try await store.replaceValue(for: "login", version: nil, with: text, lifetime: nil))
        let stored = try #require(try await base.value(for: "login")).data
        #expect(try await store.value(for: "login")?.data == text)
        #expect(stored.count == text.count + 29)

        var others = [Data(), stored.dropLast(), stored.dropFirst(), stored + [0], text, Data(count: 29)]
        for index in stored.indices {
            for bit in 0..<8 {
                var changed = stored
                changed[index] ^= 1 << UInt8(bit)
                others.append(changed)
            }
        }
        for (number, other) in others.enumerated() {
            let version = try await base.value(for: "login")?.version
            #expect(try await base.replaceValue(for: "login", version: version, with: other, lifetime: nil))
            let error = await #expect(throws: StoreEncryptionError.self) { try await store.value(for: "login") }
            #expect(error?.reason == .undecryptable, "\(number)")
            #expect("\(String(describing: error))".contains("token") == false)
        }
        #expect(try await base.replaceValue(for: "other", version: nil, with: stored, lifetime: nil))
        await #expect(throws: StoreEncryptionError.self) { try await store.value(for: "other") }

        let wrong = try base.encrypted(with: Data(count: 32))
        #expect(try await base.replaceValue(for: "whole", version: nil, with: stored, lifetime: nil))
        await #expect(throws: StoreEncryptionError.self) { try await wrong.value(for: "whole") }
    }

    @Test("Random values are read as they were written, and equal values are stored as different data", .seeded)
    func randomValues() async throws {
        var generator = SeededGenerator()
        let store = try base.encrypted(with: generator.bytes(32))
        for number in 0..<500 {
            let key = String(decoding: generator.bytes(Int.random(in: 0...20, using: &generator)), as: UTF8.self)
            let count = number < 40 ? number : Int.random(in: 0...5000, using: &generator)
            let value = generator.bytes(count)
            let version = try await store.value(for: key)?.version
            #expect(try await store.replaceValue(for: key, version: version, with: value, lifetime: nil))
            let first = try #require(try await store.value(for: key))
            #expect(first.data == value)
            let sealed = try await base.value(for: key)?.data
            #expect(try await store.replaceValue(for: key, version: first.version, with: value, lifetime: nil))
            #expect(try await base.value(for: key)?.data != sealed)
            if count >= 8 { #expect(sealed?.range(of: value) == nil) }
        }
    }

    @Test("Random data are no values", .seeded)
    func randomData() async throws {
        var generator = SeededGenerator()
        let store = try base.encrypted(with: Self.key)
        for _ in 0..<2000 {
            var data = generator.bytes(Int.random(in: 0...80, using: &generator))
            if !data.isEmpty, Bool.random(using: &generator) { data[0] = 1 }
            let version = try await base.value(for: "key")?.version
            #expect(try await base.replaceValue(for: "key", version: version, with: data, lifetime: nil))
            await #expect(throws: StoreEncryptionError.self) { try await store.value(for: "key") }
        }
    }

    @Test("All steps but those with values are those of the store")
    func otherSteps() async throws {
        let store = try base.encrypted(with: Self.key)
        #expect("\(store)" == "InMemorySharedStore, encrypted")
        #expect(Mirror(reflecting: store).children.compactMap(\.label) == ["description"])
        guard case .acquired(let lease) = try await store.acquireLease(for: "key", duration: .seconds(60)) else {
            Issue.record("There is no lease.")
            return
        }
        #expect(try await store.renew(lease, duration: .seconds(60)))
        try await store.release(lease)
        #expect(try await base.renew(lease, duration: .seconds(60)) == false)
        let bucket = SharedBucket(interval: .seconds(1), capacity: .seconds(1))
        #expect(try await store.takeToken(for: "key", from: bucket, within: .zero) == .zero)
        #expect(try await store.takeToken(for: "key", from: bucket, within: .zero) > .zero)
        #expect(try await store.value(for: "key") == nil)
        #expect(try await store.replaceValue(for: "key", version: nil, with: Data([1]), lifetime: nil))
        let version = try await store.value(for: "key")?.version
        #expect(try await store.replaceValue(for: "key", version: nil, with: Data([2]), lifetime: nil) == false)
        #expect(try await store.replaceValue(for: "key", version: version, with: nil, lifetime: nil))
        #expect(try await base.value(for: "key") == nil)
    }

    @Test("A credential that cannot be decrypted is replaced by one that a program sets, and by no other")
    func credential() async throws {
        let (old, new) = (try base.encrypted(with: Data(count: 32)), try base.encrypted(with: Self.key))
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let authenticator = OAuth2Authenticator(tokenEndpoint: url, clientID: "app") { _ in throw URLError(.unknown) }
        func login(_ credential: OAuth2Credential?) -> AuthenticationInterceptor<OAuth2Credential> {
            AuthenticationInterceptor(credential, authenticator: authenticator, sharedIn: new, key: "login", for: url)
        }
        #expect(try await old.replaceValue(for: "login", version: nil, with: Data([1]), lifetime: nil))

        // A call reads the store, and leaves the value as it is.
        let manager = SessionManager()
        manager.interceptors.call = [login(nil)]
        let error = await #expect(throws: LarkspurError.self) {
            try await manager.dataTask(with: URLRequest(url: url)).data
        }
        #expect(error?.code == .sharedStoreUnavailable)
        #expect((error?.underlyingError as? StoreEncryptionError)?.reason == .undecryptable)
        #expect(try await old.value(for: "login")?.data == Data([1]))

        try await login(nil).setCredential(OAuth2Credential(accessToken: "a1"))
        #expect(try await new.value(for: "login") != nil)
    }

    @Test("A key that has not 32 bytes is refused", arguments: [0, 16, 31, 33])
    func keySize(_ count: Int) {
        let error = #expect(throws: StoreEncryptionError.self) { try base.encrypted(with: Data(count: count)) }
        #expect(error?.reason == .invalidKey && error?.message.contains("\(count)") == true)
    }
}

@Suite("Encrypted stores without OpenSSL", .enabled(if: AuthenticatedCipher.unavailability != nil, "There is OpenSSL."))
struct EncryptedStoreWithoutOpenSSLTests {
    @Test("A store cannot be encrypted")
    func unavailable() {
        let error = #expect(throws: StoreEncryptionError.self) {
            try InMemorySharedStore().encrypted(with: Data(count: 32))
        }
        #expect(error?.reason == .unavailable && error?.message.contains("OpenSSL") == true)
    }
}
