#if canImport(FoundationNetworking)
import Foundation
import Synchronization
import TestSupport

@testable import Larkspur

/// The measurements of a soak: the cost of its attempts, the depth of the stack, and the memory.
final class SoakMeter: Sendable {
    /// The figures of a tenth of the attempts.
    struct Tenth: Sendable {
        /// The lowest CPU time of an attempt, among the means of ten parts, in seconds. The lowest of several hardly
        /// depends on what else the machine does.
        var cost = Double.infinity
        /// The largest depth of the stack, in bytes.
        var depth = 0
        /// The memory at the end, in bytes.
        var memory = 0
    }

    private struct State {
        var count = 0
        var time: Double?
        var tenths = [Tenth](repeating: Tenth(), count: 10)
    }

    private let partLength: Int
    private let clock: SoakClock
    private let measuresMemory: Bool
    private let state = Mutex(State())

    init(_ count: Int, _ clock: SoakClock, measuresMemory: Bool) {
        partLength = max(1, count / 100)
        self.clock = clock
        self.measuresMemory = measuresMemory
    }

    /// The number of attempts.
    var count: Int { state.withLock { $0.count } }
    var first: Tenth { state.withLock { $0.tenths[0] } }
    var last: Tenth { state.withLock { $0.tenths[9] } }

    /// Counts an attempt. Called on the thread of the soak.
    func tick() {
        clock.noteDepth()
        let part = state.withLock { state -> Int? in
            state.count += 1
            return state.count.isMultiple(of: partLength) ? state.count / partLength - 1 : nil
        }
        guard let part, part < 100 else { return }
        let time = SmallStackExecutor.threadTime
        let depth = clock.takeDepth()
        let memory = measuresMemory && part % 10 == 9 ? ProcessUsage.trimmedMemory : 0
        state.withLock { state in
            state.tenths[part / 10].depth = max(state.tenths[part / 10].depth, depth)
            if let before = state.time {
                let cost = (time - before) / Double(partLength)
                state.tenths[part / 10].cost = min(state.tenths[part / 10].cost, cost)
            }
            if memory > 0 { state.tenths[part / 10].memory = memory }
        }
        // The measurement itself is not counted.
        let next = SmallStackExecutor.threadTime
        state.withLock { $0.time = next }
    }
}

/// A run of one interceptor with many attempts, on a thread with a small stack.
struct SoakRun: Sendable {
    let count: Int
    let clock: SoakClock
    let meter: SoakMeter

    static let url = URL(string: "https://a.test/items?page=1") ?? URL(fileURLWithPath: "/")
    private static let origins = (0..<7).compactMap { URL(string: "https://host\($0).test/items?page=1") }

    private static let responses: [Int: HTTPURLResponse] = [200, 204, 401, 415, 503].reduce(into: [:]) {
        $0[$1] = HTTPURLResponse(url: url, statusCode: $1, httpVersion: "HTTP/1.1", headerFields: nil)
    }

    /// Returns a request, of one origin or of one of several.
    func request(_ number: Int, ofSeveralOrigins: Bool = false) -> URLRequest {
        URLRequest(url: ofSeveralOrigins ? Self.origins[number % Self.origins.count] : Self.url)
    }

    /// Returns a response with a status.
    static func response(_ status: Int, to request: URLRequest, fields: [String: String]? = nil) -> InterceptedResponse
    {
        let response =
            fields.flatMap {
                HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: $0)
            } ?? responses[status]
        return InterceptedResponse(request: request, response: response)
    }

    /// Sends a request through an interceptor. The rest of the chain counts each attempt and responds at once.
    @discardableResult
    func send(
        _ request: URLRequest,
        through interceptor: some RequestInterceptor,
        upload: UploadControl? = nil,
        _ respond: @escaping @Sendable (URLRequest) throws -> InterceptedResponse = {
            SoakRun.response(200, to: $0)
        }
    ) async throws -> InterceptedResponse {
        var context = RequestContext(clock: clock)
        context.upload = upload
        return try await interceptor.intercept(request, context: context) { [meter] request in
            meter.tick()
            return try respond(request)
        }
    }
}
#endif
