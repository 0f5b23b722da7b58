#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

/// The judgement on libcurl, which reads frames over a pair of sockets, compared with a server over TLS. It has to be
/// right with any libcurl, trusted or not.
@Suite(
    "HTTP/2: the known faults of libcurl",
    .enabled(
        if: Servers.areExpected && Libcurl.hasHTTP2,
        "Run by Tests/Interop/servers.sh, with a libcurl that has HTTP/2."
    ),
    .timeLimit(.minutes(5))
)
struct HTTP2DifferentialTests {
    private let server: MisbehavingServer

    init() throws { server = try MisbehavingServer() }

    /// The server's behaviour in the trials of the judgement. `|` is where the client has read all that came before.
    private static let steps: [(fault: HTTP2Fault, steps: String)] = [
        (.resetWithError, "head:200 data:6 rst:2"), (.resetWithError, "head:200 data:6 | rst:2"),
        (.resetWithoutError, "head:200 data:6 rst:0"), (.resetWithoutError, "head:200 data:6 | rst:0"),
        (.goAway, "head:200 data:6 goaway:0:0 close"), (.goAway, "head:200 data:6 | goaway:0:0 close"),
        (.connectionEnd, "head:200 data:6 | close"),
        (.faultyFrame, "head:200 data:6 frame:0:0:0:00 send close"),
        (.faultyFrame, "head:200 data:6 | frame:0:0:0:00 send close"),
        (.shortContent, "head:200:content-length=6 last:3"), (.resetAfterEnd, "head:200 last:6 rst:0"),
    ]

    @Test(
        "The list of faults contains each fault with which an incomplete response looks complete",
        arguments: HTTP2Fault.allCases
    )
    func truncation(_ fault: HTTP2Fault) async throws {
        guard fault.isAcceptance, fault != .faultOfOtherStream else { return }
        var isAccepted = false
        for steps in Self.steps where steps.fault == fault {
            if try await loads(steps.steps) { isAccepted = true }
        }
        #expect(HTTP2Judgement.ofLoadedLibcurl.shows(fault) == isAccepted)
    }

    @Test("The list of faults contains each fault with which a complete response fails")
    func completion() async throws {
        #expect(try await loads("head:200 data:4 | last:2"))
        #expect(HTTP2Judgement.ofLoadedLibcurl.shows(.resetAfterEnd) != (try await loads("head:200 last:6 rst:0")))
    }

    /// Whether the engine takes the response for complete.
    private func loads(_ steps: String) async throws -> Bool {
        let name = UUID().uuidString
        let url = try server.url(steps.replacingOccurrences(of: "|", with: "wait:\(name)"))
        let signal = try server.url("signal:\(name) headend:204")
        let other = server.makeSession()
        let collector = FirstBytes { other.dataTask(with: signal).resume() }
        try await collector.load(url, in: server.makeSession(delegate: collector))
        return collector.error == nil
    }
}

extension HTTP2Judgement {
    fileprivate func shows(_ fault: HTTP2Fault) -> Bool {
        if case .faulty(let faults) = self { faults.contains(fault) } else { false }
    }
}
#endif
