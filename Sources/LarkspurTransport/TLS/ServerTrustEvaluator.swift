#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A closure that decides whether a server is trusted.
///
///     options.tls.serverTrust = ServerTrustEvaluator { handshake in
///         guard handshake.host == "printer.local" else { return handshake.refusal == nil ? .accept : .refuse }
///         return handshake.chain.first?.publicKeyPin == known ? .accept : .refuse
///     }
///
/// The closure is called in each TLS handshake in which the server sends its certificates, before any byte of a request
/// is sent, unless the server has none of the keys and certificates that are pinned. It is also called for https
/// proxies and for the server of ``EngineOptions/dnsOverHTTPS``. A resumed TLS session needs no certificates. The
/// decision about its first handshake applies, in the same session only.
///
/// The closure runs on the thread of the session. No transfer of the session continues until it returns, and it cannot
/// be stopped, so it must not wait. Debug builds write a line to standard error if it takes more than 50 milliseconds.
/// If it throws, the server is refused, and ``Foundation/URLError/serverTrustError`` is the error that it has thrown.
///
/// In a handshake with an address, the client sends no name. So if several peers of a request have different addresses,
/// such as a server and its https proxy, the request fails with ``TLSFailure/Reason/notEnforceable``.
///
/// Evaluators are equal only if they are copies of each other.
public struct ServerTrustEvaluator: Sendable, Hashable {
    private final class Storage: Sendable {
        let decide: @Sendable (ServerHandshake) throws -> ServerTrustDecision

        init(_ decide: @escaping @Sendable (ServerHandshake) throws -> ServerTrustDecision) { self.decide = decide }
    }

    private let storage: Storage

    /// Creates an evaluator.
    /// - Parameter decide: The closure. It is called on the thread of the session.
    public init(_ decide: @escaping @Sendable (ServerHandshake) throws -> ServerTrustDecision) {
        storage = Storage(decide)
    }

    /// Calls the closure.
    public func decide(on handshake: ServerHandshake) throws -> ServerTrustDecision { try storage.decide(handshake) }

    /// Returns whether two evaluators have the same closure.
    public static func == (left: ServerTrustEvaluator, right: ServerTrustEvaluator) -> Bool {
        left.storage === right.storage
    }

    /// Hashes the identity of the closure.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(storage)) }
}

/// The properties of a server that its handshake has shown.
public struct ServerHandshake: Sendable, Hashable {
    /// The name or the address of the server, in lower case and without port. If the handshake is with a proxy, it is
    /// the proxy's.
    public let host: String
    /// The server's own certificate, followed by the certificates above it. If a trusted certificate was found, it is
    /// the last one.
    public let chain: [ServerCertificate]
    /// The reason why the server is refused if the closure does not decide otherwise; nil if it is accepted.
    public let refusal: TLSFailure?

    /// Creates a value, for tests of a closure.
    /// - Parameters:
    ///   - host: The name or the address of the server.
    ///   - chain: The certificates. The server's own is the first.
    ///   - refusal: The reason why the server is refused. Default: nil, for a server that is accepted.
    public init(host: String, chain: [ServerCertificate], refusal: TLSFailure? = nil) {
        self.host = host
        self.chain = chain
        self.refusal = refusal
    }
}

/// The decision whether a server is trusted.
public struct ServerTrustDecision: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String { case accept, refuse }

    private let kind: Kind

    /// The server is trusted, even if ``ServerHandshake/refusal`` is not nil. A server without a pinned key or
    /// certificate is refused nevertheless. Behind an https proxy, and from the server of
    /// ``EngineOptions/dnsOverHTTPS``, a certificate for another host is refused too.
    public static let accept = Self(kind: .accept)
    /// The server is not trusted. The request fails with ``TLSFailure/Reason/refusedByEvaluator``, unless the server is
    /// refused for another reason.
    public static let refuse = Self(kind: .refuse)

    /// The name of the decision.
    public var description: String { kind.rawValue }
}

/// The refusal of a server by the closure of a program.
struct EvaluatorRefusal: Sendable, Hashable {
    /// The error that the closure has thrown; nil if it has returned a refusal.
    let error: (any Error)?

    /// The error in words; nil if there is none.
    var text: String? {
        error.map { ($0 as? any LocalizedError)?.errorDescription ?? "\($0)" }
    }

    static func == (left: EvaluatorRefusal, right: EvaluatorRefusal) -> Bool {
        left.text.map { TextKey($0) } == right.text.map { TextKey($0) }
    }

    func hash(into hasher: inout Hasher) { hasher.combine(text.map { TextKey($0) }) }
}

/// The time that a closure of a program takes on the loop's thread.
enum ClosureTime {
    /// The longest time that is not reported.
    static let limit = Duration.milliseconds(50)

    /// Returns the line about a decision that has taken too long; nil for others.
    static func line(host: String, _ duration: Duration) -> String? {
        guard duration > limit else { return nil }
        let milliseconds = duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
        return
            "Larkspur: The server trust evaluator took \(milliseconds) ms for \(host). No transfer of the session continued during this time."
    }

    /// In debug builds, writes a line to standard error if a decision has taken too long.
    static func report(host: String, since start: LoopTime) {
        #if DEBUG
        guard let line = line(host: host, start.duration(until: .now)) else { return }
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
        #endif
    }
}

extension URLError {
    /// The error that a ``ServerTrustEvaluator`` has thrown; nil if the request has failed for another reason.
    public var serverTrustError: (any Error)? { userInfo[TLSFailure.evaluatorErrorKey] as? any Error }
}
#endif
