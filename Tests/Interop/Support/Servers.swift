#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Testing

/// The servers that Tests/Interop/servers.sh has started.
struct Servers: Sendable {
    /// What each of the ports speaks; the certificates of those from `expired` to `unknownIssuer` are bad.
    enum Port: String, Sendable, CodingKeyRepresentable, Codable {
        case http
        /// HTTP/2 and HTTP/1.1.
        case h2
        case http1
        case tls12
        /// HTTP/1.1, from an nginx of its own.
        case reloading
        /// HTTP/1.1 without TLS, from an nginx that a test starts and kills.
        case killed
        /// HTTP/1.1 without TLS, slowly.
        case paced
        case expired
        case notYetValid
        case otherHost
        case selfSigned
        case unknownIssuer
        /// tinyproxy, for anybody and for ada with the password "secret".
        case proxy, protectedProxy
        /// SOCKS 5: Dante, for anybody, and microsocks, for ada with the password "secret".
        case socks, protectedSocks
        /// HTTP over TLS, with the certificate of other.test.
        case secureProxy
        case httpbin
        /// A tus server, and a proxy before it that cuts each connection after 3 MiB from the client.
        case tus, tusBehindProxy
        /// HTTP/2 as Scripts/http2_server.py is told to speak it, and HTTP/1.1.
        case misbehaving
        /// HTTP/3 and HTTP/1.1 as Scripts/http3_server.py speaks them: with QUIC, without, and with a certificate there
        /// that has an unknown issuer.
        case http3, http3Absent, http3Impostor
        /// A leaf, its intermediate, and a root that is not sent, each with a key of its own; for the name localhost
        /// alone.
        case chain
        /// A leaf and a root of another chain.
        case otherChain
        /// A leaf that names the intermediate of the chain as its issuer, and has not been signed by it; that is sent
        /// along.
        case impostor
        /// A certificate that has signed itself, with the name localhost as its common name alone.
        case selfSignedName
        /// The same for a name that is no host's.
        case selfSignedNobody
        /// Wants a certificate of the client's, and answers 400 without.
        case mutual
        case mutual12
        /// Wants one too, and ends the connection without.
        case mutualHandshake
        /// The same with TLS 1.2, where the server ends the handshake itself.
        case mutualHandshake12
        /// HTTP/1.1 over TLS, with the faults of Scripts/tls_faults.py.
        case tlsFaults
        /// A certificate without subjectAltName, and one that has a mail address there.
        case commonName, commonNameAndMail
        /// A leaf and its intermediate, of which none, the leaf or the intermediate is in the revocation lists.
        case listed, revoked, revokedIntermediate
        /// Streams in both directions, as Scripts/streams_server.py speaks them: HTTP/1.1 without TLS and with TLS, and
        /// HTTP/2.
        case streams, streamsTLS, streamsHTTP2
        /// WebSockets as Scripts/websocket_echo.py speaks them, without TLS.
        case webSocket
        /// Random sequences of WebSocket frames, and what they should do, from Scripts/websocket_fuzz.py, without TLS.
        case webSocketFuzz

        fileprivate var isSecure: Bool {
            switch self {
            case .http, .killed, .paced, .httpbin, .streams, .tus, .tusBehindProxy, .webSocket, .webSocketFuzz: false
            case .proxy, .protectedProxy, .socks, .protectedSocks, .secureProxy: false
            default: true
            }
        }
    }

    private struct Description: Decodable {
        let ports: [Port: Int]
    }

    private let folder: URL
    private let ports: [Port: Int]

    /// Whether there are servers, or have to be: then a test that finds none fails.
    static var areExpected: Bool {
        let environment = ProcessInfo.processInfo.environment
        return environment["LARKSPUR_INTEROP"] != nil || environment["LARKSPUR_INTEROP_REQUIRED"] == "1"
    }

    init() throws {
        let path = try #require(
            ProcessInfo.processInfo.environment["LARKSPUR_INTEROP"],
            "There are no servers; run the tests with Tests/Interop/servers.sh."
        )
        folder = URL(fileURLWithPath: path, isDirectory: true)
        let description = try Data(contentsOf: folder.appendingPathComponent("servers.json"))
        ports = try JSONDecoder().decode(Description.self, from: description).ports
    }

    func url(_ port: Port, _ target: String, host: String = "localhost") throws -> URL {
        let scheme = port.isSecure ? "https" : "http"
        return try #require(URL(string: "\(scheme)://\(host):\(try number(of: port))\(target)"))
    }

    /// A URL with the scheme ws or wss. nginx passes WebSockets on below /socket, and ends them below /socket/impatient
    /// when nothing is sent for a second.
    func webSocketURL(_ port: Port, _ target: String) throws -> URL {
        let scheme = port.isSecure ? "wss" : "ws"
        return try #require(URL(string: "\(scheme)://localhost:\(try number(of: port))\(target)"))
    }

    func number(of port: Port) throws -> Int { try #require(ports[port]) }

    /// The socket on which nginx listens as well.
    var socketPath: String { file("nginx.sock").path }

    /// A URL of the server `chain`, on the socket on which it listens as well.
    func secureSocketURL(_ target: String) throws -> URL {
        let url = try #require(URL(unixSocket: file("chain.sock").path, resource: target))
        return try #require(URL(string: "https" + url.absoluteString.dropFirst(4)))
    }

    /// A URL without TLS, of a port that has none.
    func plainURL(_ port: Port, _ target: String) -> URL {
        URL(string: "http://127.0.0.1:\(ports[port] ?? 0)\(target)") ?? folder
    }

    // MARK: Files

    func file(_ path: String) -> URL { folder.appendingPathComponent(path) }

    func contents(of path: String) throws -> Data { try Data(contentsOf: file(path)) }

    /// A file of certificates, by its name without extension.
    func certificates(_ name: String) -> URL { file("\(name).pem") }

    func certificate(_ name: String) throws -> TLSCertificate { try TLSCertificate(contentsOf: certificates(name)) }

    /// The process of the nginx that may be told to reload.
    func reloadingProcess() throws -> Int32 {
        let text = String(decoding: try contents(of: "reloading.pid"), as: UTF8.self)
        return try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// The requests that nginx has answered, each as port, method, target and protocol.
    func requests() throws -> [String] {
        String(decoding: try contents(of: "main-requests.log"), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The lines of nginx's log about handshakes that have failed on a port, once there are any; empty if there are
    /// none for long.
    func failedHandshakes(_ port: Port) async throws -> [String] {
        let end = "server: 127.0.0.1:\(try #require(ports[port]))"
        let session = makeSession()
        defer { session.finishTasksAndInvalidate() }
        // What nginx hears of the failure comes on another connection than its answers, but hardly ever later.
        for _ in 0..<5000 {
            let lines = String(decoding: try contents(of: "main-errors.log"), as: UTF8.self).split(separator: "\n")
            let found = lines.filter { $0.contains("while SSL handshaking") && $0.hasSuffix(end) }
            if !found.isEmpty { return found.map(String.init) }
            _ = try await session.reply(to: url(.http, "/echo"))
        }
        return []
    }

    /// The tunnels that the proxy over TLS was asked for, each as method and target.
    func tunnels() throws -> [String] {
        guard FileManager.default.fileExists(atPath: file("secure-proxy-requests.log").path) else { return [] }
        return String(decoding: try contents(of: "secure-proxy-requests.log"), as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    /// What the paced server has answered so far: status and range, in the order in which that was over.
    func ranges() throws -> [String] {
        String(decoding: try contents(of: "paced-requests.log"), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    // MARK: Clients

    /// Options that trust the certificate authority that has signed the good certificates.
    var options: CurlURLSession.Options { options(trusting: "authority") }

    /// Options that trust some of the certificates made here, and nothing else; nobody where one cannot be read, so
    /// that tests fail.
    func options(trusting names: String...) -> CurlURLSession.Options {
        var options = CurlURLSession.Options()
        // nginx does not misbehave, whatever libcurl there is.
        options.http2 = .always
        let roots = names.map { name in try? certificate(name) }
        options.tls.trustedRoots = .only(roots.contains(nil) ? [] : roots.compactMap { $0 })
        return options
    }

    func makeSession(
        options: CurlURLSession.Options? = nil,
        delegate: (any URLSessionDelegate)? = nil
    ) -> CurlURLSession {
        // What is tested is between the engine and the servers.
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return CurlURLSession(configuration: configuration, delegate: delegate, options: options ?? self.options)
    }
}

extension Trait where Self == ConditionTrait {
    /// Tests that talk to real servers are left out where there are none, unless it is said that there have to be.
    static var needsServers: Self { .enabled(if: Servers.areExpected, "Run by Tests/Interop/servers.sh.") }
}
#endif
