internal import AsyncHTTPClient
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Measuring
internal import NIOCore
internal import NIOHTTP1

/// AsyncHTTPClient by async functions.
struct AwaitingClient: PageClient {
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
        if workload == .post || workload == .encodedPost {
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
        }
        if workload == .post { request.body = .bytes(ByteBuffer(bytes: Message.exampleJSON)) }
        if workload.uploadsSequence {
            let chunks = ChunkSequence(length: target.uploadLength, workload) { ByteBuffer(repeating: 0, count: $0) }
            request.method = .PUT
            request.body = .stream(chunks, length: .unknown)
        }
        return MeasuredRequest(target: target, request: request)
    }

    func perform(_ request: MeasuredRequest) async throws -> String? {
        if request.target.staysOpen { return await openStream(request) }
        let response = try await execute(request.request)
        let status = Int(response.status.code)
        if workload == .discard || workload == .slow {
            return request.target.failure(status: status, contentLength: try await discard(response.body))
        }
        let content = try await response.body.collect(upTo: Self.maximumContentLength)
        let failure = request.target.failure(status: status, contentLength: content.readableBytes)
        guard failure == nil, workload.decodes else { return failure }
        return try workload.failure(in: Data(content.readableBytesView))
    }

    private func execute(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        var request = request
        if workload == .encodedPost { request.body = .bytes(ByteBuffer(bytes: try Message.encodeExample())) }
        return try await client.execute(request, deadline: .distantFuture)
    }

    func links(at url: String) async throws -> [String] {
        let response = try await client.execute(HTTPClientRequest(url: url), deadline: .distantFuture)
        guard response.status == .ok else { end("\(url): \(response.status)") }
        return try await response.body.collect(upTo: Self.maximumContentLength).withUnsafeReadableBytes(Page.links(in:))
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
