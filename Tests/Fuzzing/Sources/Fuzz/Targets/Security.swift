import CFuzz
import CLibcurl
import CLoopbackTLS
import Foundation
import HTTPSyntax

@testable import LarkspurTesting
@testable import LarkspurTransport

/// Challenges and credentials, certificates and TLS.
extension FuzzTarget {
    static let security = [
        challenges, digest, credentialFields, certificates, serverCertificates, der, trust, revocationLists,
        clientHello, serverIdentity, netlink,
    ]

    // MARK: Authentication

    private static let challenges = FuzzTarget(
        text: "challenges",
        measured: { _ = ChallengeField.challenges(in: [$0]) },
        { text in
            let read = ChallengeField.challenges(in: [text])
            let more = ChallengeField.challenges(in: ["Basic realm=\"a, \\\"b\", charset=UTF-8", text])
            require(more.first?.scheme, equals: "Basic", "the scheme")
            require(more.first?["realm"], equals: "a, \"b", "the realm")
            require(Array(more.dropFirst()), equals: read, "fields do not affect each other")
            for challenge in read {
                require(challenge.scheme.isToken, "a scheme is a token")
                require(
                    challenge.parameters.keys.allSatisfy { $0.text.isToken && $0.text == $0.text.lowercased() },
                    "names are tokens"
                )
                guard let answerable = AnswerableChallenge(challenge) else { continue }
                let user = UserCredential(user: "Mufasa\u{E4}\"", password: "Circle of Life")
                var authentication = HTTPAuthentication(
                    challenge: answerable,
                    userCredential: user,
                    makeClientNonce: { "0a4f113b" }
                )
                let field = authentication.authorization(method: "GET", target: "/dir/index.html")
                check(field, answerable, user)
                _ = authentication.renew(with: answerable, isExpected: true)
                check(authentication.authorization(method: "GET", target: "/dir/index.html"), answerable, user)
            }
        }
    )

    /// Reads the field of a Digest answer as a server does, and computes the response once more.
    private static func check(_ field: String, _ answerable: AnswerableChallenge, _ user: UserCredential) {
        require(!field.breaksLine, "credentials are one line")
        require(!field.contains(user.password), "credentials do not show the password")
        guard case .digest(let challenge) = answerable else { return require(field.hasPrefix("Basic "), "it is Basic") }
        let values = ChallengeField.challenges(in: [field]).first?.parameters ?? [:]
        // Control characters are left out, because they could end the field.
        func sent(_ text: String) -> String {
            String(decoding: text.utf8.filter { $0 >= 0x20 && $0 != 0x7F }, as: UTF8.self)
        }
        require(values["realm"], equals: sent(challenge.realm), "the realm")
        require(values["nonce"], equals: sent(challenge.nonce), "the nonce")
        require(values["opaque"], equals: challenge.opaque.map(sent), "the opaque value")
        let algorithm = challenge.algorithm
        var secret = algorithm.hash(user.user, challenge.realm, user.password)
        if algorithm.isSession { secret = algorithm.hash(secret, challenge.nonce, "0a4f113b") }
        let action = algorithm.hash("GET", "/dir/index.html")
        let expected =
            challenge.hasQualityOfProtection
            ? algorithm.hash(secret, challenge.nonce, "00000001", "0a4f113b", "auth", action)
            : algorithm.hash(secret, challenge.nonce, action)
        if values["nc"] ?? "00000001" == "00000001" { require(values["response"], equals: expected, "the response") }
    }

    private static let digest = FuzzTarget("hashes") { bytes in
        let data = Data(bytes)
        let parts = Division.parts(of: bytes)
        for algorithm in ContentHashes.Algorithm.allCases {
            var whole = ContentHashes([algorithm])
            whole.update(data)
            var divided = ContentHashes([algorithm])
            for part in parts { part.withUnsafeBytes { divided.update($0) } }
            require(divided.finished(algorithm), equals: whole.finished(algorithm), "the hash of parts")
        }
        require(MD5.hash(data).count == 16 && SHA1.hash(data).count == 20, "a hash has its length")
    }

    private static let credentialFields = FuzzTarget(text: "credential-fields") { text in
        if let credentials = DigestCredentials(text) {
            _ = credentials.nonceCount
            _ = credentials.nonce
        }
        let parameters = ChallengeField.parameters(in: text)
        require(parameters.keys.allSatisfy { $0.text.isToken && $0.text == $0.text.lowercased() }, "names are tokens")
    }

    // MARK: Certificates

    private static let certificates = FuzzTarget("certificates") { bytes in
        let data = Data(bytes)
        if let certificates = try? TLSCertificate.certificates(in: data) {
            require(!certificates.isEmpty, "there is a certificate")
            for certificate in certificates {
                require((try? TLSCertificate(certificate.der)) == certificate, "DER is read again")
                require((try? TLSCertificate(Data(certificate.pem.utf8))) == certificate, "PEM is read again")
                require(PublicKeyPin(certificate: certificate).sha256.count, equals: 32, "a pin has 32 bytes")
            }
        }
        if let pin = try? PublicKeyPin(publicKey: data) {
            require((try? PublicKeyPin(sha256: pin.description)) == pin, "a pin is read as it was written")
        }
        for block in PEMBlock.blocks(of: data) {
            guard let content = block.content, !block.label.utf8.contains(where: { $0 < 0x20 }) else { continue }
            let text = Data(PEMBlock.text(label: block.label, content).utf8)
            // A label with blanks at its ends, or that is not UTF-8, is not written.
            guard block.label == block.label.trimmingBlanks, !block.label.contains("\u{FFFD}") else { continue }
            require(PEMBlock.blocks(of: text), equals: [block], "a block is read as it was written")
        }
        if let text = String(validating: bytes, as: UTF8.self) { _ = try? PublicKeyPin(sha256: text) }
    }

    private static let serverCertificates = FuzzTarget("server-certificates") { bytes in
        let certificate = ServerCertificate(der: Data(bytes))
        require(Array(certificate.der), equals: bytes, "the bytes are kept")
        let names = certificate.dnsNames + certificate.uris + certificate.emailAddresses
        require(names.allSatisfy { $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }, "names are printable ASCII")
        require(certificate.addresses.allSatisfy { IPAddress($0) != nil }, "addresses are addresses")
        let controls = [certificate.subject, certificate.issuer].compactMap { $0 }
            .contains { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } }
        require(!controls, "names have no control characters")
        // A certificate that can be pinned has the same key here.
        if let read = try? TLSCertificate(Data(bytes)), bytes.first == 0x30 {
            require(certificate.publicKeyPin, equals: PublicKeyPin(certificate: read), "the key")
        }
    }

    private static let revocationLists = FuzzTarget(unmeasured: "revocation-lists") { bytes in
        let lists = (try? RevocationList.lists(in: Data(bytes), path: "/list")) ?? []
        guard libcurl_trust_unavailability() == nil, let set = libcurl_revocation_lists_new() else { return }
        defer { libcurl_revocation_lists_free(set) }
        for list in lists {
            require(list.der.first == 0x30, "a list is a sequence")
            _ = list.der.withUnsafeBytes { bytes in
                bytes.baseAddress.map { libcurl_revocation_lists_add(set, $0, bytes.count) }
            }
        }
    }

    private static let der = FuzzTarget("der") { bytes in
        var reader = DERReader(bytes[...])
        var count = 0
        while let value = reader.read() {
            count += value.encoding.count
            require(DERReader.encoded(value.tag, Array(value.content)), equals: Array(value.encoding), "its encoding")
            var inner = DERReader(value.content)
            while inner.read() != nil {}
        }
        require(count <= bytes.count, "values are not longer than the input")
        _ = SubjectPublicKeyInfo(certificate: Data(bytes))
        if let key = SubjectPublicKeyInfo(publicKey: Data(bytes)) {
            require(SubjectPublicKeyInfo(publicKey: key.encoding), equals: key, "a key is read again")
        }
    }

    private static let trust = FuzzTarget(unmeasured: "trust") { bytes in
        guard libcurl_trust_unavailability() == nil,
            let trust = libcurl_trust_new({ _, _ in 0 }, nil)
        else { return }
        defer { libcurl_trust_free(trust) }
        for role in [LIBCURL_TRUST_ROOT, LIBCURL_TRUST_ADDITIONAL_ROOT, LIBCURL_TRUST_ANCHOR] {
            let isAdded = bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map { libcurl_trust_add(trust, role, $0, bytes.count) } ?? false
            }
            // A value that OpenSSL accepts is at least one whole value.
            if isAdded { require(bytes.first == 0x30, "a certificate is a sequence") }
        }
    }

    // MARK: TLS

    /// The identity of the server for tests, made once, because a key takes long.
    private static let identity: UInt = {
        var message = [CChar](repeating: 0, count: 256)
        let identity = loopback_tls_identity_make("DNS:localhost", -60, 3600, &message, message.count)
        return identity.map { UInt(bitPattern: $0) } ?? 0
    }()

    private static let clientHello = FuzzTarget(unmeasured: "client-hello") { bytes in
        guard loopback_tls_unavailability() == nil, let identity = OpaquePointer(bitPattern: identity),
            let connection = loopback_tls_connection_make(identity)
        else { return }
        defer { loopback_tls_connection_free(connection) }
        var buffer = [UInt8](repeating: 0, count: 1 << 12)
        for part in Division.parts(of: bytes) {
            let isFed = part.withUnsafeBytes { part in
                part.baseAddress.map { loopback_tls_feed(connection, $0, part.count) } ?? true
            }
            guard isFed else { break }
            let count = loopback_tls_read(connection, &buffer, buffer.count)
            require(count <= 0, "nothing is read before a handshake")
            var sent = 0
            while case let count = loopback_tls_drain(connection, &buffer, buffer.count), count > 0 { sent += count }
            require(sent < 1 << 16, "a handshake is short")
            if count == LOOPBACK_TLS_FAILURE {
                var message = [CChar](repeating: 1, count: 64)
                loopback_tls_failure(connection, &message, message.count)
                require(message.contains(0), "a message ends")
                break
            }
        }
        require(!loopback_tls_write(connection, &buffer, 1), "nothing is written before a handshake")
        loopback_tls_close(connection)
    }

    private static let serverIdentity = FuzzTarget(unmeasured: "server-identity") { bytes in
        guard loopback_tls_unavailability() == nil else { return }
        var choices = Choices(bytes)
        let certificate = choices.bytes()
        let key = Array(choices.rest)
        var message = [CChar](repeating: 1, count: 64)
        let identity = certificate.withUnsafeBytes { certificate in
            key.withUnsafeBytes { key -> OpaquePointer? in
                guard let first = certificate.baseAddress, let second = key.baseAddress else { return nil }
                return loopback_tls_identity_read(first, certificate.count, second, key.count, &message, message.count)
            }
        }
        if let identity { loopback_tls_identity_free(identity) }
    }

    private static let netlink = FuzzTarget("netlink") { bytes in
        let count = bytes.withUnsafeBufferPointer { fuzz_netlink($0.baseAddress, $0.count) }
        require(count <= bytes.count, "a message is not empty")
    }
}
