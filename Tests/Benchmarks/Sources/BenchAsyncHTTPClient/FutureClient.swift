internal import AsyncHTTPClient
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
        var request = try HTTPClient.Request(url: target.url, method: workload == .post ? .POST : .GET)
        if workload == .post {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .byteBuffer(ByteBuffer(string: Message.example.json))
        }
        return MeasuredRequest(target: target, request: request)
    }

    func perform(_ request: MeasuredRequest, completion: @escaping Completion) {
        switch workload {
        case _ where request.target.staysOpen: openStream(request, completion)
        case .discard, .slow: discard(request, completion)
        // The scenarios with files and sequences leave this client out.
        case .get, .post, .json, .sessions, .sessionsAlive, .download, .upload, .uploadSequence, .slowUploadSequence:
            collect(request, completion)
        }
    }

    private func collect(_ request: MeasuredRequest, _ completion: @escaping Completion) {
        let decodesJSON = workload == .json
        client.execute(request: request.request).whenComplete { result in
            do {
                let response = try result.get()
                let length = response.body?.readableBytes ?? 0
                let failure = request.target.failure(status: Int(response.status.code), contentLength: length)
                guard failure == nil, decodesJSON, let body = response.body else { return completion(failure) }
                completion(try itemsFailure(in: body))
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
