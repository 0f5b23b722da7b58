internal import AsyncHTTPClient
internal import Measuring
internal import NIOCore
internal import NIOHTTP1

/// AsyncHTTPClient by async functions.
struct AwaitingClient: AsyncClient {
    struct MeasuredRequest: Sendable {
        let target: Target
        let request: HTTPClientRequest
    }

    private static let maximumContentLength = 1 << 20

    private let workload: Options.Workload
    private let client: HTTPClient

    init(_ options: Options) {
        workload = options.workload
        client = .measured(options)
    }

    func makeRequest(_ target: Target) -> MeasuredRequest {
        var request = HTTPClientRequest(url: target.url)
        if workload == .post {
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: Message.example.json))
        }
        if workload == .uploadSequence || workload == .slowUploadSequence {
            let chunks = ChunkSequence(length: target.uploadLength, pauses: workload == .slowUploadSequence) {
                ByteBuffer(repeating: 0, count: $0)
            }
            request.method = .PUT
            request.body = .stream(chunks, length: .unknown)
        }
        return MeasuredRequest(target: target, request: request)
    }

    func perform(_ request: MeasuredRequest) async throws -> String? {
        if request.target.staysOpen { return await openStream(request) }
        let response = try await client.execute(request.request, deadline: .distantFuture)
        var content: ByteBuffer?
        let length: Int
        switch workload {
        case .discard, .slow:
            length = try await discard(response.body)
        // The scenarios with files leave this client out.
        case .get, .post, .json, .sessions, .sessionsAlive, .download, .upload, .uploadSequence, .slowUploadSequence:
            let collected = try await response.body.collect(upTo: Self.maximumContentLength)
            length = collected.readableBytes
            content = collected
        }
        let failure = request.target.failure(status: Int(response.status.code), contentLength: length)
        guard failure == nil, workload == .json, let content else { return failure }
        return try itemsFailure(in: content)
    }

    /// Leaves the response to a task that waits for its end.
    private func openStream(_ request: MeasuredRequest) async -> String? {
        await withCheckedContinuation { continuation in
            Task {
                var opened: CheckedContinuation<String?, Never>? = continuation
                do {
                    let response = try await client.execute(request.request, deadline: .distantFuture)
                    for try await _ in response.body { opened.take()?.resume(returning: nil) }
                    end("\(request.target.url) has ended.")
                } catch {
                    end("\(request.target.url): \(error)")
                }
            }
        }
    }

    private func discard(_ body: HTTPClientResponse.Body) async throws -> Int {
        var length = 0
        for try await part in body {
            let before = length
            length += part.readableBytes
            let count = workload == .slow ? SlowConsumer.sleeps(from: before, to: length) : 0
            if count > 0 { try await Task.sleep(for: .milliseconds(count * SlowConsumer.sleepMilliseconds)) }
        }
        return length
    }

    func invalidate() async {
        do { try await client.shutdown() } catch { end("\(error)") }
    }
}
