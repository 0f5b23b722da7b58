#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Testing

@testable import LarkspurTransport

@Suite("TaskTimers")
struct TaskTimersTests {
    private let now = LoopTime.now

    private func makeTimers(resource: TimeInterval = 100, idle: TimeInterval = 10) -> TaskTimers {
        TaskTimers(now: now, start: now, resourceTimeout: resource, idleTimeout: idle)
    }

    @Test("A task fails at the idle timeout or at the resource timeout, whichever comes first")
    func deadline() {
        #expect(makeTimers().deadline(isIdleTimed: true) == now.adding(10))
        #expect(makeTimers(resource: 5).deadline(isIdleTimed: true) == now.adding(5))
    }

    @Test("While no bytes are expected, only the resource timeout applies")
    func untimed() {
        #expect(makeTimers().deadline(isIdleTimed: false) == now.adding(100))
    }

    @Test("Each byte moves the idle deadline, and not the resource deadline")
    func bytes() {
        var timers = makeTimers()
        timers.touch(at: now.adding(7))
        #expect(timers.deadline(isIdleTimed: true) == now.adding(17))
        #expect(timers.deadline(isIdleTimed: false) == now.adding(100))
        timers.touch(at: now.adding(95))
        #expect(timers.deadline(isIdleTimed: true) == now.adding(100))
    }

    @Test("Each request has its own idle timeout")
    func idleTimeout() {
        var timers = makeTimers()
        timers.idleTimeout = 30
        #expect(timers.deadline(isIdleTimed: true) == now.adding(30))
    }

    @Test("The resource timeout is measured from the start of the task, which may precede the timers")
    func start() {
        let timers = TaskTimers(now: now, start: now.subtracting(40), resourceTimeout: 100, idleTimeout: 1_000)
        #expect(timers.deadline(isIdleTimed: true) == now.adding(60))
    }

    @Test("The timeout of a task without a connection names the server")
    func unconnected() throws {
        let url = try #require(URL(string: "http://origin.test:8080/"))
        let failure = makeTimers().failure(at: now.adding(10), url: url, unconnected: Peer(url))
        #expect(failure.code == .timedOut)
        #expect(failure.localizedDescription.contains("No connection to the server origin.test:8080 was made"))
    }

    @Test("The failure of a timeout names the deadline that has passed")
    func failures() throws {
        let url = try #require(URL(string: "http://origin.test/"))
        var timers = makeTimers()
        let idle = timers.failure(at: now.adding(10), url: url, unconnected: nil)
        #expect(idle.code == .timedOut)
        #expect(idle.localizedDescription.contains("Not a byte was sent or received for 10.0 seconds"))
        timers.touch(at: now.adding(99))
        let resource = timers.failure(at: now.adding(100), url: url, unconnected: nil)
        #expect(resource.code == .timedOut)
        #expect(resource.localizedDescription.contains("100.0 seconds that its session allows"))
    }
}
#endif
