#if os(Linux)
import Foundation
import Larkspur
import LarkspurTransport
import TestSupport
import Testing

/// A request to a URL that a stranger has chosen, and its outcome. README.md has a row for each.
struct Attack: Sendable, CustomTestStringConvertible {
    /// The first cell of the row.
    let title: String
    /// The second cell of the row.
    let outcome: String
    /// The code of the errors; nil if the calls succeed.
    let code: LarkspurError.Code?
    /// Whether the same calls send packets to forbidden addresses if the session has no limits.
    var isReal = true
    /// The results of DNS queries.
    var names: [String: [[String]]] = [:]
    /// Checks the requests that the servers have received.
    var check: @Sendable ([AttackNetwork.Report.Request]) -> Void = { _ in }
    /// Performs the calls, and returns the code of each.
    let run: @Sendable (AttackClient) async throws -> [LarkspurError.Code?]

    var testDescription: String { title }

    /// The row of the page.
    var row: String { "| \(title) | \(outcome) | \(code.map { "`\($0.label)`" } ?? "–") |" }

    init(
        _ title: String,
        _ outcome: String,
        _ code: LarkspurError.Code?,
        isReal: Bool = true,
        names: [String: [[String]]] = [:],
        check: @escaping @Sendable ([AttackNetwork.Report.Request]) -> Void = { _ in },
        run: @escaping @Sendable (AttackClient) async throws -> [LarkspurError.Code?]
    ) {
        (self.title, self.outcome, self.code, self.isReal) = (title, outcome, code, isReal)
        (self.names, self.check, self.run) = (names, check, run)
    }

    /// An attack that consists of a GET of each of several URLs.
    init(
        _ title: String,
        _ outcome: String,
        _ code: LarkspurError.Code?,
        isReal: Bool = true,
        names: [String: [[String]]] = [:],
        urls: [String]
    ) {
        self.init(title, outcome, code, isReal: isReal, names: names) { client in
            let manager = client.manager()
            var codes: [LarkspurError.Code?] = []
            for url in urls { codes.append(await client.code(of: url, manager)) }
            return codes
        }
    }
}

/// The program that is given the URLs.
struct AttackClient: Sendable {
    let network: AttackNetwork
    /// Whether the session managers have the limits for such URLs.
    let isLimited: Bool

    /// Creates a session manager.
    /// - Parameters:
    ///   - limits: The limits, if the client is limited.
    ///   - change: Changes the options of the session.
    func manager(
        _ limits: UntrustedURLLimits = UntrustedURLLimits(totalTime: .seconds(20)),
        _ change: (inout CurlURLSession.Options) -> Void = { _ in }
    ) -> SessionManager {
        var options = CurlURLSession.Options()
        let file = URL(filePath: (AttackNetwork.folder ?? "") + "/certificate.pem")
        options.tls.trustedRoots = .only((try? TLSCertificate.certificates(contentsOf: file)) ?? [])
        change(&options)
        let transport = Transport.curl(options)
        if isLimited {
            return SessionManager(forUntrustedURLs: limits, transport: transport)
        }
        let manager = SessionManager(configuration: .ephemeral, transport: transport)
        manager.timeouts.total = .seconds(20)
        return manager
    }

    /// Performs a call.
    /// - Returns: The code of its error; nil if it succeeds.
    func code(_ call: () async throws -> Void) async -> LarkspurError.Code? {
        do {
            try await call()
            return nil
        } catch let error as LarkspurError {
            return error.code
        } catch let error as URLError {
            // The errors of WebSockets.
            return error.accessFailure == nil ? .transportFailed : .addressNotAllowed
        } catch is WebSocketError {
            return .unacceptableResponse
        } catch {
            Issue.record(error)
            return nil
        }
    }

    /// GETs a URL with the command `larkspur`, which has a proxy in its environment.
    func codeOfCommand(_ url: String, proxy: String) throws -> LarkspurError.Code? {
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("larkspur").path
        let folder = TemporaryFolder()
        let output = folder.url.appendingPathComponent("output").path
        let options = isLimited ? "--public-only" : ""
        // Foundation's `Process` would send a packet to the loopback interface.
        let line = "http_proxy=\(proxy) exec '\(program)' \(options) GET \(url) < /dev/null > \(output) 2>&1"
        guard try NetworkNamespace.status(of: ["sh", "-c", line]) != 0 else { return nil }
        let text = try String(contentsOfFile: output, encoding: .utf8)
        return text.contains("would use a proxy") ? .addressNotAllowed : .transportFailed
    }

    /// GETs a URL.
    func code(of url: String, _ manager: SessionManager) async -> LarkspurError.Code? {
        await code { _ = try await manager.get(url).data }
    }
}
#endif
