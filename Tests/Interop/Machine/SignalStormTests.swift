#if os(Linux)
import Foundation
import Larkspur
import LarkspurTesting
import Synchronization
import TestSupport
import Testing

/// The signals that have interrupted something.
private let delivered = Atomic(0)

extension HostileMachineTests {
    /// Signals that interrupt each system call of each thread again and again: their handler has no SA_RESTART.
    @Suite("A storm of signals")
    struct SignalStormTests {
        /// Sends signals to all threads of the process until it is told to end.
        private final class Storm: Sendable {
            private let isOver = Atomic(false)
            private let ended = DispatchSemaphore(value: 0)

            init() throws {
                var action = sigaction()
                action.__sigaction_handler.sa_handler = { _ in delivered.add(1, ordering: .relaxed) }
                try #require(sigaction(SIGUSR1, &action, nil) == 0)
                typealias Send = @convention(c) (pid_t, pid_t, Int32) -> Int32
                let send = unsafeBitCast(try #require(dlsym(nil, "tgkill")), to: Send.self)
                Thread.detachNewThread { [self] in
                    while !isOver.load(ordering: .relaxed) {
                        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? [] {
                            guard let thread = pid_t(name) else { continue }
                            _ = send(getpid(), thread, SIGUSR1)
                        }
                        // Without a pause the others would never finish a call that they have to repeat.
                        usleep(500)
                    }
                    ended.signal()
                }
            }

            func end() {
                isOver.store(true, ordering: .relaxed)
                ended.wait()
            }
        }

        @Test("Every kind of transfer ends correctly while each system call is interrupted")
        func transfers() async {
            await #expect(processExitsWith: .success) {
                let server = try LoopbackServer(tls: .selfSigned())
                let folder = TemporaryFolder()
                var options = CurlURLSession.Options()
                options.tls.trustedRoots = .only([try TLSCertificate(server.certificate?.der ?? Data())])
                options.partialDownloadFolder = folder.url
                let configuration = URLSessionConfiguration.testing
                configuration.urlCache = HTTPCache(memoryCapacity: 0, directory: folder.url.appendingPathComponent("c"))
                let manager = SessionManager(
                    baseURL: server.baseURL,
                    configuration: configuration,
                    transport: .curl(options)
                )
                let content = Data((0..<2 << 20).map { UInt8(truncatingIfNeeded: $0 / 3) })
                server.route("/content", .data(content))
                server.route("/fresh") { _ in
                    var response = LoopbackServer.Response.text("fresh")
                    response.headers["Cache-Control"] = "max-age=3600"
                    return response
                }
                server.route("/length") { request in .text("\(request.body == content)") }
                let file = try folder.file("content", content)
                let storm = try Storm()
                for round in 0..<20 {
                    let target = folder.url.appendingPathComponent("file \(round)")
                    async let data = manager.get("content").data
                    async let saved = manager.download("content", to: .file(target)).file
                    async let posted = manager.post("length", body: .data(content)).string
                    async let uploaded = manager.upload("length", from: .file(file)).string
                    async let fresh = manager.get("fresh").string
                    let socket = manager.webSocket("websocket/echo")
                    for number in 0..<10 {
                        try await socket.send("\(number)")
                        try #require(try await socket.receive() == .text("\(number)"))
                    }
                    try await socket.close()
                    try #require(try await data == content)
                    try #require(try await Data(contentsOf: saved) == content)
                    try #require(try await posted == "true")
                    try #require(try await uploaded == "true")
                    try #require(try await fresh == "fresh")
                }
                storm.end()
                // Enough to have interrupted everything.
                try #require(delivered.load(ordering: .relaxed) > 100)
            }
        }
    }
}
#endif
