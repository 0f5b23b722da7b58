#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("The watch for lost machines", .timeLimit(.minutes(5)))
struct PeerWatchTests {
    // MARK: The value

    @Test(
        "The limit is rounded up to seconds, and the times of probes follow from it",
        arguments: [
            (Duration.seconds(25), 25, 10, 5), (.seconds(30), 30, 12, 6), (.seconds(9), 9, 3, 2),
            (.milliseconds(1_001), 2, 1, 1), (.seconds(1), 1, 1, 1), (.zero, 1, 1, 1), (.seconds(-7), 1, 1, 1),
            (.seconds(604_800), 604_800, 32_767, 32_767),
            (.seconds(Int64.max), TimeInterval(Int64.max), 32_767, 32_767),
        ]
    )
    func times(_ time: Duration, _ limit: TimeInterval, _ first: Int32, _ interval: Int32) {
        let watch = PeerWatch(limit: time)
        #expect(watch.limit == limit)
        #expect(watch.firstProbe == first)
        #expect(watch.probeInterval == interval)
    }

    @Test("Two probes precede the limit, and the system closes an idle connection after the limit")
    func order() {
        for seconds in Int32(3)...10_000 {
            let watch = PeerWatch(limit: .seconds(Int64(seconds)))
            #expect(watch.firstProbe + watch.probeInterval < seconds)
            #expect(watch.firstProbe + PeerWatch.probeCount * watch.probeInterval > seconds)
        }
    }

    @Test(
        "A machine is lost if it is silent for the limit and has not confirmed two packets",
        arguments: [
            (0, false, 25.02), (10.5, false, 14.52), (10.5, true, 14.52), (24.99, true, 0.03), (25, false, 5),
            (400, false, 5), (25, true, nil), (400, true, nil),
        ] as [(TimeInterval, Bool, TimeInterval?)]
    )
    func verdict(_ silence: TimeInterval, _ isSilent: Bool, _ delay: TimeInterval?) {
        let verdict = PeerWatch(limit: .seconds(25)).verdict(PeerState(silence: silence, isSilent: isSilent))
        guard let delay, case .checkAgain(let found) = verdict else {
            #expect(verdict == .lost && delay == nil)
            return
        }
        #expect(abs(found - delay) < 0.001)
    }

    @Test("Without an established connection, the next check is after the limit")
    func unconnected() {
        #expect(PeerWatch(limit: .seconds(25)).verdict(nil) == .checkAgain(after: 25))
    }

    @Test("The state of a socket is read if the socket is an open TCP connection")
    func state() throws {
        let server = try LoopbackServer()
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        #expect(PeerState(of: descriptor) == nil)
        try Self.open(descriptor, to: server.port)
        let state = try #require(PeerState(of: descriptor))
        #expect((0..<60).contains(state.silence) && !state.isSilent)
        let other = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(other) }
        #expect(PeerState(of: other) == nil)
        #expect(PeerState(of: -1) == nil)
    }

    private static func open(_ descriptor: Int32, to port: UInt16) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
    }

    // MARK: Sockets

    /// The values of a connection's socket: keepalive, the three times of probes, and the user timeout.
    /// Connections to other servers can have the same local port.
    private static func options(ofConnectionFrom local: UInt16, to remote: UInt16) throws -> [[Int32]] {
        let entries = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
        return entries.filter { port($0, getsockname) == local && port($0, getpeername) == remote }.map { descriptor in
            let names = [
                (SOL_SOCKET, SO_KEEPALIVE), (Int32(IPPROTO_TCP), TCP_KEEPIDLE), (Int32(IPPROTO_TCP), TCP_KEEPINTVL),
                (Int32(IPPROTO_TCP), TCP_KEEPCNT), (Int32(IPPROTO_TCP), TCP_USER_TIMEOUT),
            ]
            return names.map { level, option in
                var value: Int32 = -1
                var length = socklen_t(MemoryLayout<Int32>.size)
                getsockopt(descriptor, level, option, &value, &length)
                return value
            }
        }
    }

    private typealias NameOfSocket = (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32

    /// The port of one end of an IPv4 socket; nil for other descriptors.
    private static func port(_ descriptor: Int32, _ name: NameOfSocket) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(descriptor, $0, &length) }
        }
        guard result == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
        return UInt16(bigEndian: address.sin_port)
    }

    @Test(
        "Sockets have the probes of the option; without it, they have libcurl's, and no user timeout in any case",
        arguments: [(nil, [1, 10, 5, 4, 0]), (.seconds(50), [1, 20, 10, 4, 0])] as [(Duration?, [Int32])]
    )
    func sockets(_ time: Duration?, _ expected: [Int32]) async throws {
        let server = try LoopbackServer()
        var options = CurlURLSession.Options()
        options.proxy = .direct
        if let time { options.deadPeerTime = time }
        #expect(try await Self.socketOptions(options, server) == expected)
        options.deadPeerTime = nil
        let without = try await Self.socketOptions(options, server)
        #expect(without.prefix(3) == [1, 60, 60] && without.last == 0)
    }

    private static func socketOptions(_ options: CurlURLSession.Options, _ server: LoopbackServer) async throws
        -> [Int32]
    {
        let session = CurlURLSession(configuration: .testing, options: options)
        defer { session.invalidateAndCancel() }
        let ends = Recorder<(any Error)?>()
        let task = session.dataTask(with: server.url("/get")) { ends.record($2) }
        task.resume()
        #expect(try await ends.first() == nil)
        let port = try #require(task.transactionMetrics.last?.localPort)
        let found = try Self.options(ofConnectionFrom: UInt16(port), to: server.port)
        #expect(found.count == 1)
        return try #require(found.first)
    }

    @Test("A session without the option has no checks")
    func off() {
        var options = CurlURLSession.Options()
        #expect(options.deadPeerTime == .seconds(25))
        let settings = SessionSettings(.testing, options: options)
        #expect(settings.peerWatch?.limit == 25)
        #expect(settings.firstDeadline == min(25, URLSessionConfiguration.testing.timeoutIntervalForRequest))
        options.deadPeerTime = nil
        let without = SessionSettings(.testing, options: options)
        #expect(without.peerWatch == nil)
        #expect(without.firstDeadline == URLSessionConfiguration.testing.timeoutIntervalForRequest)
    }
}
#endif
