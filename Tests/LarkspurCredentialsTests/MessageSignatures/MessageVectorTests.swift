import HTTPSyntax
import Testing

@testable import LarkspurCredentials

/// The messages and the signatures of RFC 9421.
@Suite("Published message signatures")
struct MessageVectorTests {
    @Test(
        "Signature bases are the published ones, and the published signatures are valid",
        arguments: MessageVector.all
    )
    func signatures(_ vector: MessageVector) throws {
        let text = try MessageText(vector.message)
        let (input, signature) = try SignedMessage.signature(vector.label, in: text.fields)
        let message = try vector.signedMessage(text)
        let base = try input.base(of: message)
        #expect(base == vector.base)
        let key = try vector.key.verification
        try key.verify(signature, of: base)
        #expect(throws: MessageSignatureFailure.self) { try key.verify(signature, of: base + " ") }
        for index in [0, signature.count / 2, signature.count - 1] {
            var changed = signature
            changed[index] ^= 1
            #expect(throws: MessageSignatureFailure.self) { try key.verify(changed, of: base) }
        }
        let own = try vector.key.signing.signature(of: base)
        try key.verify(own, of: base)
        // The other algorithms have another signature each time.
        if [.secret, .ed25519].contains(vector.key) { #expect(own == signature) }
    }

    @Test("The digests of the content are those of the messages")
    func digests() throws {
        for vector in MessageVector.all where vector.section != "B.3" && vector.section != "B.4" {
            let text = try MessageText(vector.message)
            let field = try #require(text.fields["Content-Digest"].flatMap(DigestField.init))
            var hashes = ContentHashes([.sha512])
            hashes.update(text.content)
            #expect(field.known[.sha512] == hashes.finished(.sha512), "\(vector.section)")
        }
    }

    @Test("A signature stays valid if what it does not cover is changed, and becomes invalid otherwise")
    func transformations() throws {
        let vector = try #require(MessageVector.all.first { $0.section == "B.4" })
        let text = try MessageText(vector.message)
        let (input, signature) = try SignedMessage.signature(vector.label, in: text.fields)
        let key = try vector.key.verification
        let target = "/demo?name1=Value1&Name2=value2"
        for (start, fields, isValid) in [
            (
                "GET \(target)&param=added", ["Host: example.org", "Accept: application/json", "Accept: */*", "A: b"],
                true
            ),
            ("GET \(target)", ["Host: EXAMPLE.org:443", "Referer: a", "Accept:  application/json, */* "], true),
            ("GET \(target)", ["Accept: application/json", "Accept: */*", "Host: example.org"], true),
            ("POST \(target)", ["Host: example.com", "Accept: application/json", "Accept: */*"], false),
            ("GET \(target)", ["Host: example.org", "Accept: */*", "Accept: application/json"], false),
        ] {
            let changed = try MessageText(([start + " HTTP/1.1"] + fields).joined(separator: "\n"))
            let base = try input.base(of: SignedMessage(try changed.request()))
            let failure = reason { try key.verify(signature, of: base) }
            #expect(failure == (isValid ? nil : .signatureMismatch), "\(start) \(fields)")
        }
    }
}

extension MessageVector {
    /// The message whose components are signed.
    func signedMessage(_ text: MessageText) throws -> SignedMessage {
        guard text.start[0].begins(with: "HTTP/") else { return SignedMessage(try text.request()) }
        let request = try request.map { try MessageText($0).request() }
        return SignedMessage(try text.response(), trailers: nil, to: request)
    }
}

extension MessageVector.Key {
    private var secret: Data { Data(base64Encoded: MessageKeys.secret) ?? Data() }

    var signing: MessageSignature.Key {
        get throws {
            switch self {
            case .secret: .hmac(secret, id: "test-shared-secret")
            case .rsaPSS: .privateKey(try SigningKey(pem: MessageKeys.rsaPSSPrivate), with: .rsaPSSSHA512, id: nil)
            case .rsa: .privateKey(try SigningKey(pem: MessageKeys.rsaPrivate), with: .rsaPKCS1SHA256, id: nil)
            case .ecdsa: .privateKey(try SigningKey(pem: MessageKeys.ecdsaPrivate), with: .ecdsaP256SHA256, id: nil)
            case .ed25519:
                .privateKey(try SigningKey(pem: MessageKeys.ed25519Private), with: .ed25519, id: "test-key-ed25519")
            }
        }
    }

    var verification: MessageSignatureVerification.Key {
        get throws {
            switch self {
            case .secret: .hmac(secret, id: "test-shared-secret")
            case .rsaPSS: .publicKey(try VerificationKey(pem: MessageKeys.rsaPSSPublic), with: .rsaPSSSHA512, id: nil)
            case .rsa: .publicKey(try VerificationKey(pem: MessageKeys.rsaPublic), with: .rsaPKCS1SHA256, id: nil)
            case .ecdsa: .publicKey(try VerificationKey(pem: MessageKeys.ecdsaPublic), with: .ecdsaP256SHA256, id: nil)
            case .ed25519:
                .publicKey(try VerificationKey(pem: MessageKeys.ed25519Public), with: .ed25519, id: "test-key-ed25519")
            }
        }
    }
}
