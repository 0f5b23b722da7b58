#if canImport(FoundationNetworking)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("Client identities that change")
struct ClientIdentityRotationTests {
    /// The content of the two files, and the identity in use after a look at them.
    enum Content: CaseIterable {
        case first, second, onlyCertificate, onlyKey, malformed, missing

        var certificate: String? {
            switch self {
            case .first, .onlyKey: TLSFixture.certificate
            case .second, .onlyCertificate: TLSFixture.otherCertificate
            case .malformed: String(TLSFixture.otherCertificate.dropLast(60))
            case .missing: nil
            }
        }

        var key: String {
            switch self {
            case .first, .onlyCertificate: TLSFixture.privateKey
            case .second, .onlyKey, .malformed, .missing: TLSFixture.otherPrivateKey
            }
        }

        var refusal: TLSConfigurationError.Reason? {
            switch self {
            case .first, .second: nil
            case .onlyCertificate, .onlyKey: .mismatchedKey
            case .malformed: .malformedCertificate
            case .missing: .fileUnreadable
            }
        }
    }

    @Test("A pipe, which cannot be read again, is refused at once")
    func pipe() throws {
        try write(.first)
        let pipe = folder.url.appendingPathComponent("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        let error = #expect(throws: TLSConfigurationError.self) {
            try ClientIdentity.rotating(certificateFile: certificateFile, keyFile: pipe)
        }
        #expect(error?.reason == .fileUnreadable)
        #expect(error?.message == "The file \(pipe.path) cannot be read: it is not a regular file.")
    }

    private let folder = TemporaryFolder()
    private let refusals = Refusals()
    private let start = LoopTime.now

    final class Refusals: Sendable {
        let list = Mutex<[TLSConfigurationError.Reason]>([])

        var reasons: [TLSConfigurationError.Reason] { list.withLock { $0 } }
    }

    private var certificateFile: URL { folder.url.appendingPathComponent("client.pem") }
    private var keyFile: URL { folder.url.appendingPathComponent("client-key.pem") }

    private func write(_ content: Content) throws {
        if let certificate = content.certificate {
            try Data(certificate.utf8).write(to: certificateFile)
        } else {
            try FileManager.default.removeItem(at: certificateFile)
        }
        try Data(content.key.utf8).write(to: keyFile)
    }

    private func make() throws -> ClientIdentity {
        try .rotating(certificateFile: certificateFile, keyFile: keyFile) { [refusals] error in
            refusals.list.withLock { $0.append(error.reason) }
        }
    }

    private func pair(_ content: Content) throws -> ClientIdentity {
        try .pem(certificates: Data((content.certificate ?? "").utf8), key: Data(content.key.utf8))
    }

    @Test("Files that change are read again after at most a second")
    func rotation() throws {
        try write(.first)
        let identity = try make()
        #expect(try identity.current(for: "a.test", at: start) == pair(.first))
        try write(.second)
        #expect(try identity.current(for: "a.test", at: start.adding(0.999)) == pair(.first))
        #expect(try identity.current(for: "a.test", at: start.adding(1)) == pair(.second))
        #expect(refusals.reasons.isEmpty)
    }

    @Test(
        "Files that cannot be used are reported once, and the last identity stays in use until they can",
        arguments: Content.allCases.filter { $0.refusal != nil }
    )
    func refusal(_ content: Content) throws {
        try write(.first)
        let identity = try make()
        #expect(try identity.current(for: "a.test", at: start) == pair(.first))
        try write(content)
        for second in 1...3 {
            #expect(try identity.current(for: "a.test", at: start.adding(Double(second))) == pair(.first))
        }
        #expect(refusals.reasons == [content.refusal].compactMap(\.self))
        try write(.second)
        #expect(try identity.current(for: "a.test", at: start.adding(4)) == pair(.second))
        try write(content)
        #expect(try identity.current(for: "a.test", at: start.adding(5)) == pair(.second))
        #expect(refusals.reasons.count == 2)
    }

    @Test("A pair that does not belong together from the beginning is reported, and replaced when it is completed")
    func beginning() throws {
        try write(.onlyCertificate)
        let identity = try make()
        #expect(try identity.current(for: "a.test", at: start) == pair(.onlyCertificate))
        #expect(refusals.reasons == [.mismatchedKey])
        try write(.second)
        #expect(try identity.current(for: "a.test", at: start.adding(1)) == pair(.second))
    }

    @Test("Files that cannot be read at the beginning are an error at once")
    func unreadable() {
        let error = #expect(throws: TLSConfigurationError.self) { try make() }
        #expect(error?.reason == .fileUnreadable)
        let file = keyFile
        let other = #expect(throws: TLSConfigurationError.self) {
            try ClientIdentity.rotating(pkcs12File: file, passphrase: "secret")
        }
        #expect(other?.reason == .fileUnreadable)
    }

    @Test("A closure chooses the identity of a host, which may come from files")
    func choice() throws {
        try write(.first)
        let files = try make()
        let second = try pair(.second)
        let identity = ClientIdentity.byHost { host in
            switch host {
            case "files.test": files
            case "fixed.test": second
            case "nested.test": .byHost { _ in second }
            default: nil
            }
        }
        #expect(try identity.current(for: "files.test", at: start) == pair(.first))
        #expect(identity.current(for: "fixed.test", at: start) == second)
        #expect(identity.current(for: "nested.test", at: start) == nil)
        #expect(identity.current(for: "other.test", at: start) == nil)
        #expect(second.current(for: "other.test", at: start) == second)
    }

    @Test("No description or dump of an identity from files contains the key or the passphrase")
    func secrets() throws {
        try Data(TLSFixture.certificate.utf8).write(to: certificateFile)
        try Data(TLSFixture.encryptedKey.utf8).write(to: keyFile)
        var configuration = TLSConfiguration()
        configuration.clientIdentity = try .rotating(
            certificateFile: certificateFile,
            keyFile: keyFile,
            passphrase: "a passphrase"
        )
        var text = "\(configuration) \(String(reflecting: configuration))"
        dump(configuration, to: &text)
        #expect(!text.contains("a passphrase") && !text.contains("PRIVATE KEY") && text.contains("read again"))
    }

    @Test("A wrong passphrase is noticed when the files are read again")
    func passphrase() throws {
        let identity = try ClientIdentity.pem(
            certificates: Data(TLSFixture.certificate.utf8),
            key: Data(TLSFixture.encryptedKey.utf8),
            passphrase: "secret"
        )
        #expect(identity.mismatch == nil)
        let wrong = try ClientIdentity.pem(
            certificates: Data(TLSFixture.certificate.utf8),
            key: Data(TLSFixture.encryptedKey.utf8),
            passphrase: "wrong"
        )
        #expect(wrong.mismatch?.reason == .malformedKey)
    }

    @Test("Without OpenSSL, sessions with identities from files are refused; a libcurl before 7.71 takes no identity")
    func unavailable() throws {
        try write(.first)
        var configuration = TLSConfiguration()
        configuration.clientIdentity = try make()
        #expect(TLSSettings(configuration, abilities: .present).defect == nil)
        let hidden = TLSAbilities(trustUnavailability: "OpenSSL/1.1.1 has no function a", library: "OpenSSL/1.1.1")
        #expect(TLSSettings(configuration, abilities: hidden).defect?.contains("that changes") == true)
        configuration.clientIdentity = try pair(.first)
        #expect(TLSSettings(configuration, abilities: hidden).defect == nil)
        var old = TLSAbilities.present
        old.takesBlobs = false
        #expect(TLSSettings(configuration, abilities: old).defect?.contains("7.71") == true)
    }
}
#endif
