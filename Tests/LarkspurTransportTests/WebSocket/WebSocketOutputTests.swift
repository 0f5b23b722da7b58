#if canImport(FoundationNetworking)
import Foundation
import Testing
import TestSupport

@testable import LarkspurTransport

@Suite("WebSocketOutput")
struct WebSocketOutputTests {
    private struct Failure: Error {}

    /// A connection that takes what a list says: a number of bytes, or nil if it is not ready.
    private final class Connection {
        var steps: [Int?]
        private(set) var bytes: [UInt8] = []
        private(set) var addresses: [UnsafeRawPointer?] = []

        init(_ steps: [Int?]) { self.steps = steps }

        func take(_ offered: UnsafeRawBufferPointer) -> EasyHandle.ByteResult {
            addresses.append(offered.baseAddress)
            guard !steps.isEmpty else { return .failed(55) }
            guard let size = steps.removeFirst() else { return .notReady }
            bytes += offered.prefix(size)
            return .bytes(min(size, offered.count))
        }
    }

    @Test("Pieces go out in order, and each is answered when its last byte is sent")
    func order() {
        let answers = Recorder<Int>()
        let connection = Connection([2, 1, 4, nil])
        var output = WebSocketOutput()
        output.append([1, 2, 3]) { _ in answers.record(1) }
        output.append([4, 5, 6, 7]) { _ in answers.record(2) }
        output.append([8]) { _ in answers.record(3) }
        #expect(output.send(by: connection.take) == nil)
        #expect(connection.bytes == [1, 2, 3, 4, 5, 6, 7])
        #expect(answers.values == [1, 2])
        #expect(output.isBlocked)
    }

    @Test("A piece that was refused is offered again from the same address, and nothing before there is room")
    func address() {
        let connection = Connection([5, nil, 95])
        var output = WebSocketOutput()
        output.append(Array(repeating: 7, count: 100))
        _ = output.send(by: connection.take)
        for _ in 0..<100 { output.append([1]) }
        #expect(output.send(by: connection.take) == nil)
        #expect(connection.addresses.count == 2)
        output.unblock()
        connection.steps += Array(repeating: 1, count: 100)
        #expect(output.send(by: connection.take) == nil)
        #expect(connection.addresses[1] == connection.addresses[2])
        #expect(connection.bytes.count == 200)
    }

    @Test("What is not sent fails with the connection, once")
    func failure() throws {
        let answers = Recorder<Bool>()
        let connection = Connection([3])
        var output = WebSocketOutput()
        for _ in 0..<2 {
            output.append([1, 2, 3]) { result in
                if case .success = result { answers.record(true) } else { answers.record(false) }
            }
        }
        #expect(output.send(by: connection.take) == 55)
        output.fail(with: Failure())
        output.fail(with: Failure())
        #expect(answers.values == [true, false])
    }
}
#endif
