import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

extension CallEventTests {
    @Test("The events of a call end with the call, and those of a manager when the manager is released")
    func sequences() async throws {
        var manager: SessionManager? = TestTransport.curl.makeManager(for: server)
        let all = try #require(manager?.callEvents([.completed]))
        let task = try #require(manager?.get("user"))
        let own = task.callEvents([.resumed])
        _ = try await task.data

        var kinds: [CallEvent.Kind] = []
        for await event in own { kinds.append(event.kind) }
        #expect(kinds == [.resumed])

        manager = nil
        kinds = []
        for await event in all { kinds.append(event.kind) }
        #expect(kinds == [.completed])
    }

    @Test("A sequence of events whose consumer stops leaves no observer")
    func abandonedSequence() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let consumer = Task { [events = manager.callEvents([.completed])] in
            for await _ in events { break }
        }
        #expect(manager.observers.count == 1)

        _ = try await manager.get("user").data
        await consumer.value

        try await eventually { manager.observers.isEmpty }
    }

    @Test("A loop that is left early retains no task, even if events are waiting", arguments: TestTransport.allCases)
    func abandonedTasks(_ transport: TestTransport) async throws {
        weak var finished: SessionTask?
        weak var running: SessionTask?
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("held").held(until: gate))
        let manager = transport.makeManager(for: server)
        do {
            var events: AsyncStream<CallEvent>? = manager.callEvents()
            let task = manager.get("user")
            finished = task
            _ = try await task.data
            let endless = manager.get("held")
            running = endless
            endless.resume()
            try await server.waitForRequests(2)
            var own: AsyncStream<CallEvent>? = endless.callEvents()
            endless.suspend()
            endless.resume()
            for await _ in try #require(events) { break }
            for await _ in try #require(own) { break }
            events = nil
            own = nil
        }
        try await eventually { manager.observers.isEmpty && finished == nil }
        gate.open()
        try await eventually { running == nil }
    }

    @Test("Managers whose event loops are left early release their sessions")
    func abandonedManagers() async throws {
        for isIterated in [true, false] {
            weak var session: URLSession?
            weak var left: SessionManager?
            do {
                let manager = TestTransport.curl.makeManager(for: server)
                left = manager
                let events = manager.callEvents()
                let task = manager.get("user")
                _ = try await task.data
                session = manager.session
                if isIterated { for await _ in events { break } }
            }
            try await eventually { left == nil && session == nil }
        }
    }

    @Test("A loop over events ends when its observer is removed, also during calls", arguments: TestTransport.allCases)
    func removedObserver(_ transport: TestTransport) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("held").held(until: gate))
        let manager = transport.makeManager(for: server)
        let removals: [(SessionManager) -> Void] = [
            { $0.observers.removeAll() }, { $0.observers = [] }, { _ = $0.observers.popLast() },
        ]
        for remove in removals {
            let events = manager.callEvents([.created, .completed])
            let consumer = Task {
                var kinds: [CallEvent.Kind] = []
                for await event in events { kinds.append(event.kind) }
                return kinds
            }
            let call = manager.get("held")
            call.resume()
            try await server.waitForRequests(1)
            remove(manager)
            #expect([[], [.created]].contains(await consumer.value))
            #expect(manager.observers.isEmpty)
            call.cancel()
        }
        gate.open()
        try await manager.finishAll()
    }

    @Test("Neither changing a manager's observers nor copying the manager ends a sequence of its events")
    func keptSequence() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        var iterator = manager.callEvents([.completed]).makeAsyncIterator()
        manager.observe { _ in }
        manager.observers.removeLast()
        manager.observers = manager.observers
        var copy: SessionManager? = manager.copy()
        #expect(copy?.observers.isEmpty == true)
        copy = nil
        _ = try await manager.get("user").data
        #expect(await iterator.next()?.kind == .completed)
    }

    @Test("A call releases the event sequences that have ended, and reports to its other observers")
    func droppedSequence() async throws {
        let queue = DispatchQueue(label: "events")
        let seen = Recorder<CallEvent.Kind>()
        let observation = CallObservation(
            [ObserverEntry(ClosureObserver(kinds: [.resumed, .suspended]) { seen.record($0.kind) })],
            on: queue
        )
        weak var ended: StreamObserver?
        do {
            let (stream, observer) = StreamObserver.make(Set(CallEvent.Kind.allCases), limit: 10)
            ended = observer
            observation.add(ObserverEntry(observer))
            observation.post(.resumed, of: nil, .none)
            for await _ in stream { break }
        }
        observation.post(.suspended, of: nil, .none)
        #expect(try await seen.wait(for: 2) == [.resumed, .suspended])
        try await eventually { ended == nil }
        // Nothing is delivered for kinds that only the sequence wanted, and the others still come.
        observation.post(.cancelled, of: nil, .none)
        observation.post(.resumed, of: nil, .none)
        #expect(try await seen.wait(for: 3) == [.resumed, .suspended, .resumed])
    }
}
