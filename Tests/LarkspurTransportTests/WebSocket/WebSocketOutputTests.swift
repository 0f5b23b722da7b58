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

    @Test("Chunks are sent in order, and each completes when its last byte is sent")
    func order() {
        let answers = Recorder<Int>()
        let connection = Connection([2, 1, 4, nil])
        var output = WebSocketOutput()
        output.append([1, 2, 3]) { _ in answers.record(1) }
        output.append([4, 5, 6, 7]) { _ in answers.record(2) }
        output.append([8]) { _ in answers.record(3) }
        output.send(by: connection.take)
        #expect(output.failure == nil)
        #expect(connection.bytes == [1, 2, 3, 4, 5, 6, 7])
        #expect(answers.values == [1, 2])
        #expect(output.isBlocked)
    }

    @Test("A refused chunk is offered again from the same address, and no chunk before there is room")
    func address() {
        let connection = Connection([5, nil, 95])
        var output = WebSocketOutput()
        output.append(Array(repeating: 7, count: 100))
        output.send(by: connection.take)
        for _ in 0..<100 { output.append([1]) }
        output.send(by: connection.take)
        #expect(output.failure == nil)
        #expect(connection.addresses.count == 2)
        output.unblock()
        connection.steps += Array(repeating: 1, count: 100)
        output.send(by: connection.take)
        #expect(output.failure == nil)
        #expect(connection.addresses[1] == connection.addresses[2])
        #expect(connection.bytes.count == 200)
    }

    @Test("A connection with room gets every pong")
    func pongs() {
        let connection = Connection(Array(repeating: 9, count: 5))
        var output = WebSocketOutput()
        for number: UInt8 in 1...5 {
            output.setPong([number, 0])
            output.send(by: connection.take)
        }
        #expect(connection.bytes == [1, 0, 2, 0, 3, 0, 4, 0, 5, 0])
    }

    @Test(
        "Of the waiting pongs, only the newest is sent, after the started frame and before the others",
        // The bytes that the connection takes of the first frame.
        arguments: [nil, 1, 2] as [Int?],
        [false, true]
    )
    func newestPong(taken: Int?, isPong: Bool) {
        let connection = Connection((taken.map { [$0] } ?? []) + [nil])
        var output = WebSocketOutput()
        if isPong { output.setPong([7, 7, 7]) } else { output.append([7, 7, 7]) }
        output.append([8, 8])
        output.send(by: connection.take)
        for number: UInt8 in 1...200 {
            output.setPong([0, number])
            output.send(by: connection.take)
        }
        output.append([9])
        output.unblock()
        connection.steps = Array(repeating: 3, count: 4)
        output.send(by: connection.take)
        #expect(connection.bytes == [7, 7, 7, 0, 200, 8, 8, 9])
        #expect(connection.steps.isEmpty && !output.isBlocked)
    }

    @Test("Frames keep their order, however many wait")
    func many() {
        let connection = Connection([nil])
        var output = WebSocketOutput()
        var expected: [UInt8] = []
        for number in 0..<1_000 {
            let bytes = [UInt8(truncatingIfNeeded: number), UInt8(number / 256)]
            expected += bytes
            output.append(bytes)
            if number % 3 == 0 {
                output.send(by: connection.take)
                output.unblock()
                connection.steps = [1, 1, 2, nil]
            }
        }
        connection.steps = Array(repeating: 2, count: 1_000)
        output.send(by: connection.take)
        #expect(connection.bytes == expected)
    }

    @Test("Unsent chunks fail once when the connection fails")
    func failure() throws {
        let answers = Recorder<Bool>()
        let connection = Connection([3])
        var output = WebSocketOutput()
        for _ in 0..<2 {
            output.append([1, 2, 3]) { result in
                if case .success = result { answers.record(true) } else { answers.record(false) }
            }
        }
        output.send(by: connection.take)
        #expect(output.failure == 55)
        // Nothing is written to a connection that has failed.
        connection.steps = [3]
        output.send(by: connection.take)
        #expect(connection.bytes == [1, 2, 3])
        output.fail(with: Failure())
        output.fail(with: Failure())
        #expect(answers.values == [true, false])
    }
}
#endif
