import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

@Suite("Serialization of small content", .timeLimit(.minutes(5)))
struct QuickSerializationTests {
    private struct User: Decodable, Sendable {
        let name: String
    }

    /// A serializer of a caller, which tells whether it runs on the processing queue.
    private struct Observer: ResponseSerializer {
        static let key = DispatchSpecificKey<Bool>()

        var validation = ResponseValidation()

        func serialize(_ data: Data, response: URLResponse?) throws -> sending String {
            Self.isOnProcessingQueue ? "there" : "elsewhere"
        }

        static var isOnProcessingQueue: Bool { DispatchQueue.getSpecific(key: key) == true }
    }

    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/small", .json(#"{"name": "Ada"}"#))
        server.route("/large-json", .json("[" + String(repeating: " ", count: SessionTask.smallSize) + "]"))
        server.route("/large", .text(String(repeating: "a", count: SessionTask.smallSize + 1)))
    }

    @Test(
        "Small content without code of the caller is serialized without the processing queue",
        arguments: TestTransport.allCases
    )
    func quick(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        // Other tests observe notifications of all tasks.
        manager.interest = NotificationInterest()
        let gate = LoopbackServer.Gate()
        manager.processingQueue.async(flags: .barrier) { gate.wait() }
        let events = Recorder<String>()

        let others = [
            manager.get("large", as: .string) { _, _ in events.record("large") },
            manager.get("small", as: User.self) { _, _ in events.record("decoded") },
        ]
        try await eventually { others.allSatisfy { $0.state == .completed } }
        manager.get("small") { _, _ in events.record("object") }
        try await events.wait()
        let data = try await manager.get("small").data
        let string = try await manager.get("small").string
        let user = try await manager.get("small").value(as: User.self)
        let value = try await manager.get("small").value()
        #expect(data.count == 15)
        #expect(string == #"{"name": "Ada"}"#)
        #expect(user.name == "Ada" && value["name"].string == "Ada")
        #expect(events.values == ["object"])

        gate.open()
        try await manager.finishAll()
        #expect(events.values.sorted() == ["decoded", "large", "object"])
    }

    @Test("The caller's code runs on the processing queue, however small the content is")
    func codeOfCaller() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        manager.processingQueue.setSpecific(key: Observer.key, value: true)
        let events = Recorder<Bool>()

        let place = try await manager.get("small").value(as: Observer())
        #expect(place == "there")
        _ = try await manager.get("small")
            .validate { _, _, _ in events.record(Observer.isOnProcessingQueue) }
            .data
        #expect(events.values == [true])
    }

    /// A type that notes where it is decoded.
    private struct Place: Decodable {
        let isMain: Bool
        let isOnProcessingQueue: Bool

        init(from decoder: any Decoder) throws {
            (isMain, isOnProcessingQueue) = (Thread.isMainThread, Observer.isOnProcessingQueue)
        }
    }

    private final class OwnDecoder: JSONDecoder, @unchecked Sendable {}  // Safe: it adds no state.

    @Test("The awaiting task decodes small content off the main actor, and a caller's decoder runs on the queue")
    @MainActor
    func decoded() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        manager.interest = NotificationInterest()
        manager.processingQueue.setSpecific(key: Observer.key, value: true)
        let place = try await manager.get("small").value(as: Place.self)
        #expect(!place.isMain && !place.isOnProcessingQueue)
        let own = try await manager.get("small").value(as: Place.self, decoder: OwnDecoder())
        #expect(own.isOnProcessingQueue)
        let large = try await manager.get("large-json").value(as: Place.self)
        #expect(large.isOnProcessingQueue)
        let checked = try await manager.get("small").validate { _, _, _ in }.value(as: Place.self)
        #expect(checked.isOnProcessingQueue)
    }

    @Test("A handler that is added during the serialization runs its code on the processing queue")
    func late() async throws {
        let queue = DispatchQueue(label: "handlers")
        let manager = TestTransport.curl.makeManager(for: server, completionQueue: queue)
        manager.processingQueue.setSpecific(key: Observer.key, value: true)
        let events = Recorder<String>()

        queue.suspend()
        let task = manager.get("small").response(as: .string) { events.record($0.value ?? "none") }
        try await eventually(.completed) { task.state }
        task.response(as: Observer()) { response in
            events.record(response.value ?? "nowhere")
        }
        queue.resume()

        try await events.wait(for: 2)
        try await manager.finishAll()
        #expect(events.values == [#"{"name": "Ada"}"#, "there"])
    }

    @Test("No content is serialized on the main queue")
    func mainQueue() async throws {
        let result = TransferResult(request: nil, received: nil, data: Data())
        func isQuick(on queue: DispatchQueue) -> Bool {
            let manager = TestTransport.curl.makeManager(for: server, completionQueue: queue)
            let task = manager.get("small")
            defer { task.cancel() }
            if case .completionQueue = task.route(of: result, isUnseen: false) { return true } else { return false }
        }
        #expect(!isQuick(on: .main))
        #expect(isQuick(on: DispatchQueue(label: "handlers")))
    }
}
