#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import TestSupport
import Testing

/// Content over HTTP/2 to a server that refuses streams and loses connections while the content is produced, several
/// requests at a time on one connection.
///
/// `LARKSPUR_GENERATED_CASES` is their number.
@Suite("HTTP/2: generated uploads", .needsTrustedHTTP2, .seeded, .timeLimit(.minutes(30)))
struct GeneratedUploadTests {
    private let server: MisbehavingServer

    init() throws { server = try MisbehavingServer() }

    @Test("An upload succeeds only if the server has all of the content, or has responded without it")
    func outcomes() async throws {
        let count = ProcessInfo.processInfo.environment["LARKSPUR_GENERATED_CASES"].flatMap { Int($0) } ?? 400
        let manager = server.makeManager()
        var succeeded = 0
        var wasDisturbed = false
        for first in stride(from: 0, to: count, by: 4) {
            // Connections are kept, so that they can be lost.
            _ = try await manager.get(server.echoURL()).data
            let uploads = (first..<first + 4).map { GeneratedUpload(seed: TestSeed.value &+ UInt64($0)) }
            // A connection of the group before may end now.
            let endsConnection = uploads.contains(where: \.endsConnection)
            let isDisturbed = exchange(&wasDisturbed, with: endsConnection) || endsConnection
            let ends = await withTaskGroup(of: (problem: String?, isSuccess: Bool).self) { group in
                for upload in uploads {
                    group.addTask { await end(of: upload, isDisturbed: isDisturbed, manager) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let problems = ends.compactMap(\.problem)
            succeeded += ends.filter(\.isSuccess).count
            #expect(problems == [])
            guard problems.isEmpty else { return }
        }
        #expect(succeeded > count / 3)
    }

    /// - Parameter isDisturbed: Whether another stream may have ended the connection.
    private func end(
        of upload: GeneratedUpload,
        isDisturbed: Bool,
        _ manager: SessionManager
    ) async -> (problem: String?, isSuccess: Bool) {
        guard let url = try? server.url(upload.steps, key: upload.key) else { return ("has no URL", false) }
        let response = await upload.kind.send(
            upload.content,
            upload.method,
            to: url,
            with: manager,
            headers: upload.headers
        )
        let name = "\(upload.seed &- TestSeed.value): \(upload): "
        guard response.error == nil else {
            let error = response.error.map { "\($0)" } ?? "nothing"
            let mayFail = upload.outcome == .failed || isDisturbed
            // No limit of time is needed.
            return (mayFail && response.error?.code != .timedOut ? nil : name + "fails with \(error)", false)
        }
        guard let echo = try? JSONDecoder().decode(MisbehavingServer.Echo.self, from: response.data) else {
            return (upload.outcome == .early ? nil : name + "has the content \(response.data.count)", true)
        }
        let isWhole =
            echo.length == upload.content.count && echo.checksum == UploadedContent.checksum(of: upload.content)
        return (isWhole ? nil : name + "succeeds with \(echo.length) bytes", true)
    }
}
#endif
