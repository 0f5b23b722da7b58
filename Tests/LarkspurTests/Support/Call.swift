@testable import Larkspur

/// What became of a call of a verb: the arguments of the one closure that was called.
struct Call: Sendable {
    let task: DataTask?
    let error: LarkspurError?
    private let object: Transferred<Any>?

    init(task: DataTask?, object: Any?, error: LarkspurError?) {
        self.task = task
        self.error = error
        self.object = Transferred(()).compactMap { _ in object }
    }

    var value: Any? { object?.value }
    var json: [String: Any]? { value as? [String: Any] }
    var isSuccess: Bool { error == nil }
    var statusCode: Int? { (task?.response as? HTTPURLResponse)?.statusCode }

    func string(_ path: String...) -> String? {
        var current: Any? = value
        for key in path { current = (current as? [String: Any])?[key] }
        return current as? String
    }
}

extension SessionManager {
    /// Performs a request and waits for its closure to be called.
    func call(
        _ method: HTTPMethod,
        _ url: String,
        parameters: Parameters? = nil,
        headers: HTTPHeaders? = nil,
        serializer: any ResponseSerializer = AnyResponseSerializer.sessionDefault
    ) async throws -> Call {
        let calls = Recorder<Call>()
        request(
            method,
            url,
            parameters: parameters,
            headers: headers,
            as: serializer as? AnyResponseSerializer ?? AnyResponseSerializer(serializer)
        ) { task, object in
            calls.record(Call(task: task, object: object, error: nil))
        } failure: { task, error in
            calls.record(Call(task: task, object: nil, error: error))
        }
        return try await calls.first()
    }
}
