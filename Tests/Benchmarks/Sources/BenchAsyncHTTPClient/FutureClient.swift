internal import AsyncHTTPClient
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Measuring
internal import NIOCore
internal import NIOHTTP1

/// AsyncHTTPClient by futures: whole responses, or a delegate that takes the content as it arrives.
struct FutureClient: CallbackClient {
    struct MeasuredRequest: Sendable {
        let target: Target
        let request: HTTPClient.Request
    }

    private let workload: Options.Workload
    private let client: HTTPClient

    init(_ options: Options) {
        workload = options.workload
        client = .measured(options)
    }

    func makeRequest(_ target: Target) throws -> MeasuredRequest {
        let posts = workload == .post || workload == .encodedPost
        var request = try HTTPClient.Request(url: target.url, method: posts ? .POST : .GET)
        if posts { request.headers.add(name: "Content-Type", value: "application/json") }
        if workload == .post { request.body = .byteBuffer(ByteBuffer(bytes: Message.exampleJSON)) }
        return MeasuredRequest(target: target, request: request)
    }

    func perform(_ request: MeasuredRequest, completion: @escaping Completion) {
        switch workload {
        case _ where request.target.staysOpen: openStream(request, completion)
        case .discard, .slow: discard(request, completion)
        default: collect(request, completion)
        }
    }

    private func collect(_ request: MeasuredRequest, _ completion: @escaping Completion) {
        let workload = workload
        var sent = request.request
        do {
            if workload == .encodedPost { sent.body = .byteBuffer(ByteBuffer(bytes: try Message.encodeExample())) }
        } catch {
            return completion("\(error)")
        }
        client.execute(request: sent).whenComplete { result in
            do {
                let response = try result.get()
                let length = response.body?.readableBytes ?? 0
                let failure = request.target.failure(status: Int(response.status.code), contentLength: length)
                guard failure == nil, workload.decodes, let body = response.body else { return completion(failure) }
                completion(try workload.failure(in: Data(body.readableBytesView)))
            } catch {
                completion("\(error)")
            }
        }
    }

    private func discard(_ request: MeasuredRequest, _ completion: @escaping Completion) {
        let delegate = DiscardingDelegate(sleeps: workload == .slow)
        client.execute(request: request.request, delegate: delegate).futureResult.whenComplete { result in
            do {
                let (status, length) = try result.get()
                completion(request.target.failure(status: status, contentLength: length))
            } catch {
                completion("\(error)")
            }
        }
    }

    private func openStream(_ request: MeasuredRequest, _ completion: @escaping Completion) {
        client.execute(request: request.request, delegate: StreamDelegate(completion)).futureResult.whenComplete {
            end("\(request.target.url) has ended: \($0)")
        }
    }

    func invalidate() async {
        do { try await client.shutdown() } catch { end("\(error)") }
    }
}
