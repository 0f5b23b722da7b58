#if canImport(FoundationNetworking)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("StreamReader.Pump", .timeLimit(.minutes(1)))
struct BodyPumpTests {
    @Test("Chunks arrive in order, even if the next one is requested early")
    func order() async throws {
        let content = Data.numbered(20 << 16)
        let chunks = Recorder<Data>()
        let ends = Recorder<Void>()
        let pump = Mutex<StreamReader.Pump?>(nil)
        let made = StreamReader.Pump(InputStream(data: content)) { chunk in
            pump.withLock { $0 }?.readMore()
            // Another read would be done before the chunk is recorded.
            for _ in 0..<100 { sched_yield() }
            if case .bytes(let bytes) = chunk { chunks.record(bytes) } else { ends.record(()) }
        }
        pump.withLock { $0 = made }
        made.readMore()
        _ = try await ends.wait()
        #expect(chunks.values.reduce(Data(), +) == content)
        #expect(ends.values.count == 1)
        pump.withLock { $0 = nil }
    }
}
#endif
