#if canImport(FoundationNetworking)
internal import CLibcurl

/// Runs ``HTTP2Trial``s with the loaded libcurl. It uses the handles of a session, and a pair of sockets in place of a
/// connection. It never waits, because both sides are in the same thread.
final class HTTP2TrialRunner {
    /// The way in which libcurl receives its end of the socket pair.
    enum SocketSource: CaseIterable {
        /// libcurl receives the connected socket, and is told that the socket is connected.
        case given
        /// libcurl connects a UDP socket, which needs no server. Its end of the pair then replaces this socket before
        /// the request is sent. This is necessary because libcurl 7.87 and 7.88 connect even a connected socket, which
        /// fails.
        case exchanged
    }

    var socketSource = SocketSource.given
    let tracesStreams: Bool
    fileprivate let support: ConnectionSupport

    init(tracesStreams: Bool) throws(LoopFailure) {
        self.tracesStreams = tracesStreams
        support = try ConnectionSupport(
            tls: HostTLSTable(TLSConfiguration(), [], abilities: .present),
            allowedAddresses: .all,
            poll: try EventPoll(),
            watch: nil
        )
    }

    /// Runs a trial. Returns whether every transfer has the right outcome. Returns nil if the trial could not be run,
    /// because descriptors or memory have run out.
    func outcome(of trial: HTTP2Trial) -> Bool? {
        TrialConnection.make(trial, of: self)?.run()
    }
}

/// The connection of a trial, with the transfers on it and the server behind it.
private final class TrialConnection: MultiHandleClient {
    let trial: HTTP2Trial
    let runner: HTTP2TrialRunner
    private let multi: MultiHandle
    /// The server's end of the pair; −1 after it was closed.
    private var server: Int32
    /// libcurl's end of the pair; −1 after libcurl has received it.
    private var client: Int32
    /// The descriptor that libcurl uses; −1 before it has one.
    private var descriptor: Int32 = -1
    /// Whether a socket could not be created, because there was no descriptor or memory.
    private var lacksSocket = false
    private var watch = StreamWatch()
    /// Whether transfers report the events of streams.
    private var isWatching = false
    private var transfers: [TrialTransfer] = []

    private init(_ trial: HTTP2Trial, of runner: HTTP2TrialRunner, _ multi: MultiHandle, server: Int32, client: Int32) {
        self.trial = trial
        self.runner = runner
        self.multi = multi
        self.server = server
        self.client = client
        multi.client = self
    }

    /// Creates a connection. Returns nil if there is no free descriptor or memory.
    static func make(_ trial: HTTP2Trial, of runner: HTTP2TrialRunner) -> TrialConnection? {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        let multi = try? MultiHandle(
            support: runner.support,
            maximumConnectionsPerHost: 1,
            connectionLimit: 1,
            maximumConnections: 0,
            hasForeignHandles: false
        )
        guard let multi else {
            for socket in ends { close(socket) }
            return nil
        }
        return TrialConnection(trial, of: runner, multi, server: ends[0], client: ends[1])
    }

    deinit {
        for transfer in transfers { end(transfer) }
        multi.close()
        for socket in [server, client] where socket >= 0 { close(socket) }
    }

    func run() -> Bool? {
        guard begin() else { return nil }
        answer([.settings, .settingsAcknowledgement])
        for (index, frames) in trial.writes.enumerated() {
            if trial.secondRequest == index, !begin() { return nil }
            if trial.cancellation == index { cancelFirst() }
            answer(frames)
        }
        close(server)
        server = -1
        settle()
        return lacksSocket ? nil : transfers.allSatisfy { $0.isComplete == trial.isComplete }
    }

    // MARK: libcurl's side

    private func begin() -> Bool {
        guard let handle = EasyHandle(support: runner.support) else { return false }
        let transfer = TrialTransfer(handle, on: self)
        handle.client = transfer
        // The address is never used.
        handle.setURL("http://127.0.0.1/")
        _ = handle.setRoute(from: nil, to: [], nameServers: [], dnsOverHTTPS: nil)
        if runner.socketSource == .given { handle.setRoute(proxy: nil, socketPath: "/") }
        handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE))
        handle.set(CURLOPT_PIPEWAIT, 1)
        if trial.isUpload {
            handle.set(CURLOPT_UPLOAD, 1)
            isWatching = true
        }
        if isWatching { handle.trace.ofStreams = runner.tracesStreams }
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = libcurl_easy_setopt_open_callback(handle.raw, CURLOPT_OPENSOCKETFUNCTION, Self.open)
        _ = libcurl_easy_setopt_pointer(handle.raw, CURLOPT_OPENSOCKETDATA, context)
        _ = libcurl_easy_setopt_socket_options_callback(handle.raw, CURLOPT_SOCKOPTFUNCTION, Self.setOptions)
        _ = libcurl_easy_setopt_pointer(handle.raw, CURLOPT_SOCKOPTDATA, context)
        transfers.append(transfer)
        guard multi.add(handle) else { return false }
        settle()
        return true
    }

    private func cancelFirst() {
        guard !transfers.isEmpty else { return }
        end(transfers.removeFirst())
        settle()
    }

    /// Removes a transfer. The handle and the transfer then no longer retain each other, so that the descriptors of the
    /// trial are closed.
    private func end(_ transfer: TrialTransfer) {
        multi.remove(transfer.handle)
        transfer.handle.client = nil
    }

    private static let open: libcurl_open_callback = { context, _, _ in
        context.map { Unmanaged<TrialConnection>.fromOpaque($0).takeUnretainedValue().openSocket() } ?? -1
    }

    private static let setOptions: libcurl_socket_options_callback = { context, _, _ in
        let connection = context.map { Unmanaged<TrialConnection>.fromOpaque($0).takeUnretainedValue() }
        return connection?.runner.socketSource == .given ? CURL_SOCKOPT_ALREADY_CONNECTED : CURL_SOCKOPT_OK
    }

    /// Returns libcurl's socket. There is only one socket. A second connection would mean that a request was sent
    /// again, which no trial expects.
    private func openSocket() -> Int32 {
        guard client >= 0, descriptor < 0 else { return -1 }
        switch runner.socketSource {
        case .given:
            descriptor = client
            client = -1
        case .exchanged:
            let type = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            descriptor = socket(AF_INET, type, 0)
            // If a system does not support such sockets, another attempt is useless.
            lacksSocket = descriptor < 0 && [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno)
        }
        return descriptor
    }

    /// Replaces the socket that libcurl has connected by libcurl's end of the pair.
    fileprivate func exchangeSocket() {
        guard client >= 0, descriptor >= 0 else { return }
        _ = dup2(client, descriptor)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        close(client)
        client = -1
    }

    /// Turns on the reports of streams in all transfers, in the same way as a shard.
    fileprivate func watchStreams() {
        isWatching = true
        for transfer in transfers { transfer.handle.trace.ofStreams = runner.tracesStreams }
    }

    fileprivate func note(_ event: StreamEvent, on connection: Int64?) -> Bool { watch.note(event, on: connection) }

    func setTimer(milliseconds: Int?) {}

    func socketIsReady(_ socket: Int32) {}

    func noteProgress() {}

    // MARK: The server's side

    private func answer(_ frames: [HTTP2Frame]) {
        let bytes = frames.flatMap(\.bytes)
        // The bytes always fit into the buffer of the socket. If libcurl has closed its end, nothing is sent.
        _ = send(server, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        settle()
    }

    /// Reads and discards everything that libcurl has sent. Returns whether there was any data.
    private func discard() -> Bool {
        guard server >= 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        var hasRead = false
        while recv(server, &buffer, buffer.count, 0) > 0 { hasRead = true }
        return hasRead
    }

    /// Lets libcurl read and send until neither side has any data for the other side in two turns.
    private func settle() {
        var idleTurns = 0
        for _ in 0..<Self.turnLimit where idleTurns < 2 {
            let isDue = multi.timer == 0
            if isDue { multi.timeIsUp() }
            if descriptor >= 0 { multi.socketIsReady(descriptor, [.readable, .writable]) }
            while let (handle, result) = multi.nextCompleted() { handle.client?.transferEnded(result) }
            idleTurns = discard() || isDue ? 0 : idleTurns + 1
        }
    }

    /// A limit that no trial needs. Without it, a libcurl that is never idle would block the process.
    private static let turnLimit = 64
}

/// A transfer of a trial.
private final class TrialTransfer: EasyHandleClient {
    let handle: EasyHandle
    private unowned let connection: TrialConnection
    private var count = 0
    private var result: Int32?
    private var endsWithStream = false
    private var isStreamReset = false

    init(_ handle: EasyHandle, on connection: TrialConnection) {
        self.handle = handle
        self.connection = connection
    }

    /// Whether the engine would report a success with all of the content.
    var isComplete: Bool {
        result == CURLE_OK && !(endsWithStream && isStreamReset) && count == HTTP2Trial.length
    }

    var owner: ConnectionOwner { ConnectionOwner() }

    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        // This line is the end of the header section. If the response has no length, the stream is watched from here
        // on, as in an exchange.
        if line.count == 2, !connection.trial.announcesLength {
            endsWithStream = true
            connection.watchStreams()
        }
        return true
    }

    func receiveContent(_ bytes: UnsafeRawBufferPointer) -> EasyHandle.Reception {
        count += bytes.count
        return .taken
    }

    /// The content of an upload never ends.
    func provideContent(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision {
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        return .bytes(buffer.count)
    }

    func seekContent(to offset: Int64) -> Bool { false }

    var trailerLines: [String] { [] }

    func maySend(onStaleConnection isStale: Bool) -> Bool {
        connection.exchangeSocket()
        return true
    }

    func receiveTunnelHeader(_ line: UnsafeRawBufferPointer) {}

    func receive(_ event: StreamEvent) {
        if connection.note(event, on: handle.connection) { isStreamReset = true }
    }

    func socketReleased() {}

    func addressRefused() {}

    func transferEnded(_ result: Int32) { self.result = result }
}
#endif
