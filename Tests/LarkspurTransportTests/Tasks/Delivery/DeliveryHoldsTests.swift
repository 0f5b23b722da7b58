#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

@Suite("Events that wait for other work")
struct DeliveryHoldsTests {
    private let session = CurlURLSession(configuration: .testing)

    private func makeTask() throws -> TaskCore {
        let request = URLRequest(url: try #require(URL(string: "http://localhost/")))
        return session.core.makeTask(kind: .data, request: request, body: .none, completion: nil)
    }

    private func data(_ text: String) -> Delivery.Event { .data(Data(text.utf8)) }

    private func texts(_ items: [Delivery.Item]) -> [String] {
        items.map {
            switch $0 {
            case .event(_, .data(let data)): String(decoding: data, as: UTF8.self)
            case .event(_, .end(let error)): error == nil ? "end" : "failure"
            default: "?"
            }
        }
    }

    @Test("Events wait for all work of their task, and are then delivered in order")
    func order() throws {
        var holds = DeliveryHolds()
        let (task, other) = (try makeTask(), try makeTask())
        holds.hold(task)
        holds.hold(task)
        #expect(holds.pass(data("1"), of: task).isEmpty)
        #expect(texts(holds.pass(data("other"), of: other)) == ["other"])
        #expect(holds.pass(.end(nil), of: task).isEmpty)
        #expect(holds.release(task).isEmpty)
        #expect(!holds.isEmpty)
        #expect(texts(holds.release(task)) == ["1", "end"])
        #expect(holds.isEmpty)
        #expect(texts(holds.pass(data("2"), of: task)) == ["2"])
    }

    @Test("Events after one that begins work wait for that work, even if the first event is held")
    func laterWork() throws {
        var holds = DeliveryHolds()
        let task = try makeTask()
        holds.hold(task)
        _ = holds.pass(data("begins"), of: task)
        holds.holdLater(task)
        #expect(holds.pass(.end(nil), of: task).isEmpty)
        #expect(texts(holds.release(task)) == ["begins"])
        #expect(!holds.isEmpty)
        #expect(texts(holds.release(task)) == ["end"])
        #expect(holds.isEmpty)
        holds.holdLater(task)
        holds.hold(task)
        _ = holds.pass(data("1"), of: task)
        holds.holdLater(task)
        #expect(texts(holds.pass(.end(URLError(.cancelled)), of: task)) == ["1", "failure"])
        #expect(holds.isEmpty)
    }

    @Test("A failure does not wait for other work")
    func failure() throws {
        var holds = DeliveryHolds()
        let task = try makeTask()
        holds.hold(task)
        _ = holds.pass(data("1"), of: task)
        #expect(texts(holds.pass(.end(URLError(.cancelled)), of: task)) == ["1", "failure"])
        #expect(holds.isEmpty)
        #expect(holds.release(task).isEmpty)
    }
}
#endif
