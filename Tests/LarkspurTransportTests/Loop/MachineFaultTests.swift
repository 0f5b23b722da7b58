#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

/// Machines that run out of what transfers need while these are under way.
@Suite("Faults of the machine", .timeLimit(.minutes(5)))
struct MachineFaultTests {
    @Test("If descriptors run out, a download under way continues, other tasks fail, and later ones succeed")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            let gate = LoopbackServer.Gate()
            let half = LoopbackServer.Response.Step.bytes(Data(count: 100_000))
            server.route("/halves", .stream([half, .wait(gate), half], framing: .chunked))
            let log = DelegateLog()
            let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
            let download = session.downloadTask(with: server.url("/halves"))
            download.resume()
            try await log.events.wait { _ in log.names.contains("wrote") }
            let end = try endOfDescriptors() + 64
            var limit = rlimit(rlim_cur: end, rlim_max: end)
            try #require(setrlimit(__rlimit_resource_t(7), &limit) == 0)
            var descriptors: [Int32] = []
            while case let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC), descriptor >= 0 {
                descriptors.append(descriptor)
            }
            // One that needs a connection, one a file, and a session of its own.
            let fresh = CurlURLSession(configuration: .testing)
            let upload = URLRequest(server.url("/put"), "PUT")
            for task in [
                session.dataTask(with: server.url("/get")), session.downloadTask(with: server.url("/get")),
                session.uploadTask(with: upload, fromFile: URL(filePath: "/etc/passwd")),
            ] {
                task.resume()
                try await log.ends.wait { _ in task.state == .completed }
                try #require(task.error != nil)
            }
            try #require(try await fresh.outcome(of: server.url("/get")).code == .resourceUnavailable)
            gate.open()
            try await log.ends.wait { _ in download.state == .completed }
            try #require(download.error == nil)
            try #require(download.countOfBytesReceived == 200_000)
            for descriptor in descriptors { close(descriptor) }
            try #require(try await session.outcome(of: server.url("/get")).status == 200)
            try #require(try await fresh.outcome(of: server.url("/get")).status == 200)
        }
    }

    @Test("Sessions that many threads use and release at once end, and each task ends once")
    func manySessions() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let url = server.url("/status/204")
        let ends = Recorder<Int>()
        await withTaskGroup { group in
            for thread in 0..<16 {
                group.addTask {
                    for round in 0..<20 {
                        let session = CurlURLSession(configuration: .testing)
                        let task = session.dataTask(with: url) { _, _, _ in ends.record(thread * 20 + round) }
                        task.resume()
                        switch (thread + round) % 4 {
                        case 0: session.finishTasksAndInvalidate()
                        case 1: session.invalidateAndCancel()
                        case 2: session.flush {}
                        default: break
                        }
                    }
                }
            }
        }
        try await ends.wait(for: 320)
        #expect(Set(ends.values).count == 320)
        try await server.waitForOpenConnections(0)
        #expect(ends.values.count == 320)
    }
}
#endif
