#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Synchronization
import Testing

/// Client certificates that change, and that depend on the host.
@Suite("Client certificates that change", .needsServers, .timeLimit(.minutes(15)))
struct ClientCertificateRotationTests {
    let servers: Servers

    init() throws { servers = try Servers() }

    private func client() throws -> ClientIdentity {
        try .pem(certificateFile: servers.certificates("client"), keyFile: servers.certificates("client-key"))
    }

    private func session(_ change: (inout CurlURLSession.Options) throws -> Void) rethrows -> CurlURLSession {
        var options = servers.options
        try change(&options)
        return servers.makeSession(options: options)
    }

    /// Returns the server's text about the client's certificate. The connection stays open.
    private func subject(_ session: URLSession, host: String = "localhost") async throws -> String {
        let reply = try await session.reply(to: servers.url(.mutual, "/client", host: host))
        return reply.status == 200 ? reply.text : "\(reply.status)"
    }

    // MARK: Choices

    @Test("A closure chooses the certificate by the host, and no connection serves two choices")
    func choice() async throws {
        let client = try client()
        let container = try ClientIdentity.pkcs12(file: servers.file("client.p12"), passphrase: "secret")
        let next = Mutex<ClientIdentity?>(nil)
        let session = session { options in
            options.tls.clientIdentity = .byHost { host in host == "localhost" ? next.withLock { $0 } : nil }
        }
        for (identity, expected) in [
            (nil, "400"), (client, "SUCCESS CN=client"), (client, "SUCCESS CN=client"), (nil, "400"),
            (container, "SUCCESS CN=client"), (nil, "400"), (client, "SUCCESS CN=client"),
        ] as [(ClientIdentity?, String)] {
            next.withLock { $0 = identity }
            #expect(try await subject(session) == expected)
            #expect(try await subject(session, host: "127.0.0.1") == "400")
        }
    }

    @Test("The configuration of a host decides about its certificate and its roots")
    func hosts() async throws {
        let session = try session { options in
            var configuration = options.tls
            configuration.clientIdentity = try client()
            options.hostTLS = [try HostTLS("localhost", configuration)]
            configuration.trustedRoots = .only([])
            options.hostTLS.append(try HostTLS("other.test", configuration))
        }
        for _ in 0..<2 {
            #expect(try await subject(session) == "SUCCESS CN=client")
            #expect(try await subject(session, host: "127.0.0.1") == "400")
        }
    }

    @Test(
        "A server that ends other handshakes gets the certificate of its host, and the evaluator and the metrics see it",
        arguments: [Servers.Port.mutualHandshake, .mutualHandshake12]
    )
    func strictServer(_ port: Servers.Port) async throws {
        let rotating = try ClientIdentity.rotating(
            certificateFile: servers.certificates("client"),
            keyFile: servers.certificates("client-key")
        )
        let isTrusted = Mutex(true)
        var options = servers.options
        options.tls.clientIdentity = .byHost { $0 == "localhost" ? rotating : nil }
        options.tls.serverTrust = ServerTrustEvaluator { handshake in
            handshake.refusal == nil && isTrusted.withLock { $0 } ? .accept : .refuse
        }
        let session = servers.makeSession(options: options)
        let reply = try await session.reply(to: servers.url(port, "/"))
        #expect(reply.status == 200)
        #expect(try reply.last.tlsKeyExchangeGroup == "secp384r1")
        let other = try await session.failure(of: servers.url(port, "/", host: "127.0.0.1"))
        // Over TLS 1.2, this server gives no reason.
        #expect(other.tlsFailure?.reason == (port == .mutualHandshake ? .clientCertificateRequired : .other))
        isTrusted.withLock { $0 = false }
        let refused = try await servers.makeSession(options: options).failure(of: servers.url(port, "/"))
        #expect(refused.tlsFailure?.reason == .refusedByEvaluator)
    }

    // MARK: Rotation

    /// The files of an identity, which are replaced by those of other identities.
    private final class Rotation: Sendable {
        static let count = 12

        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rotation-\(UUID().uuidString)")
        private let servers: Servers
        /// The times at which the changes were complete.
        private let changes = Mutex<[ContinuousClock.Instant]>([])
        private let isStopped = Atomic(false)

        init(_ servers: Servers) throws {
            self.servers = servers
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for file in [certificate, key] { try replace(file, number: 0, inPlace: false) }
            changes.withLock { $0.append(.now) }
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        var certificate: URL { folder.appendingPathComponent("certificate.pem") }
        var key: URL { folder.appendingPathComponent("key.pem") }

        private func replace(_ file: URL, number: Int, inPlace: Bool) throws {
            let name = "rotating-\(number)" + (file == key ? "-key" : "")
            try Data(contentsOf: servers.certificates(name)).write(to: file, options: inPlace ? [] : .atomic)
        }

        /// Ends ``run()`` before its next change.
        func stop() { isStopped.store(true, ordering: .relaxed) }

        /// Replaces the files every second, with a moment in which they do not belong together.
        func run() async throws {
            for number in 1..<Self.count {
                try await Task.sleep(for: .seconds(1))
                guard !isStopped.load(ordering: .relaxed) else { return }
                let files = number.isMultiple(of: 3) ? [key, certificate] : [certificate, key]
                for file in files {
                    try replace(file, number: number, inPlace: number.isMultiple(of: 2))
                    try await Task.sleep(for: .milliseconds(30))
                }
                changes.withLock { $0.append(.now) }
            }
        }

        /// The number of the last identity that was complete at a time.
        func number(at time: ContinuousClock.Instant) -> Int {
            changes.withLock { $0.lastIndex { $0 < time } ?? 0 }
        }
    }

    @Test(
        "While the files change every second, no request fails, and none uses a certificate that is older than a second"
    )
    func load() async throws {
        let rotation = try Rotation(servers)
        let session = try session { options in
            options.tls.clientIdentity = try .rotating(certificateFile: rotation.certificate, keyFile: rotation.key) {
                _ in
            }
        }
        // The first closes its connection, the second keeps it.
        let urls = try [servers.url(.mutual, "/tls"), servers.url(.mutual, "/client")]
        let rotating = Task { try await rotation.run() }
        defer { rotating.cancel() }
        let numbers = try await withThrowingTaskGroup(of: Set<Int>.self) { group in
            for worker in 0..<20 {
                group.addTask {
                    var numbers: Set<Int> = []
                    for request in 0..<500 {
                        let oldest = rotation.number(at: ContinuousClock.now - .seconds(1))
                        let reply = try await session.reply(to: urls[(worker + request) % 2])
                        let name = reply.text.components(separatedBy: "CN=rotating-").last ?? ""
                        let number = try #require(Int(name), "\(reply.status) \(reply.text)")
                        #expect(reply.status == 200 && number >= oldest, "\(number), and not \(oldest)")
                        numbers.insert(number)
                    }
                    return numbers
                }
            }
            return try await group.reduce(into: Set<Int>()) { $0.formUnion($1) }
        }
        #expect(numbers.count > 1)
        rotation.stop()
        try await rotating.value
        try await Task.sleep(for: .seconds(1))
        let last = try await subject(session)
        #expect(last == "SUCCESS CN=rotating-\(rotation.number(at: .now))")
    }
}
#endif
