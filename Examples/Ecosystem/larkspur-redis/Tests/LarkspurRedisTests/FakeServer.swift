import Larkspur
import Synchronization

/// A server on 127.0.0.1 that reads commands as Redis does, and does with each what a closure says.
final class FakeServer: Sendable {
    enum Action: Sendable {
        /// Sends bytes.
        case reply(String)
        case close
        case ignore
    }

    /// The beginning of the commands that a store sends when it connects. They have a reply already.
    private static let setUp = Set(["AUTH", "SELECT", "SCRIPT"])

    let port: UInt16
    private let descriptor: Int32
    private let received = Mutex<[[String]]>([])
    private let endedCount = Mutex(0)

    /// All commands that were received.
    var commands: [[String]] { received.withLock { $0 } }

    /// - Parameters:
    ///   - refusal: The reply to the commands of a new connection; nil for those of Redis.
    ///   - refused: The numbers of the connections that get this reply. Default: all.
    ///   - action: Called with the number of the connection and each other command.
    init(
        refusal: String? = nil,
        of refused: ClosedRange<Int> = 1...Int.max,
        _ action: @escaping @Sendable (Int, [String]) -> Action
    ) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) + listen(descriptor, 128) + getsockname(descriptor, address, &length)
            }
        }
        guard result == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            var count = 0
            while true {
                let connection = accept(descriptor, nil, nil)
                if connection < 0 { return }
                count += 1
                let number = count
                Thread.detachNewThread { [self] in
                    serve(connection) { command in
                        guard Self.setUp.contains(command[0]) else { return action(number, command) }
                        let digest = "$40\r\n\(String(repeating: "0", count: 40))\r\n"
                        let refusal = refused.contains(number) ? refusal : nil
                        return .reply(refusal ?? (command[0] == "SCRIPT" ? digest : "+OK\r\n"))
                    }
                    close(connection)
                    endedCount.withLock { $0 += 1 }
                }
            }
        }
    }

    var url: String { "redis://127.0.0.1:\(port)" }

    /// Ends the server. Without this its threads wait until the process ends.
    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Waits until some connections have ended.
    func waitForEnd(of count: Int) async -> Bool {
        while endedCount.withLock({ $0 }) < count {
            if Task.isCancelled { return false }
            await Task.yield()
        }
        return true
    }

    private func serve(_ connection: Int32, _ action: ([String]) -> Action) {
        let file = fdopen(dup(connection), "r")
        defer { if let file { fclose(file) } }
        func line() -> String? {
            var text: [UInt8] = []
            while let file, case let byte = getc(file), byte != EOF {
                text.append(UInt8(truncatingIfNeeded: byte))
                if text.suffix(2) == [13, 10] { return String(decoding: text.dropLast(2), as: UTF8.self) }
            }
            return nil
        }
        while let count = line().flatMap({ Int($0.dropFirst()) }) {
            var command: [String] = []
            for _ in 0..<count {
                guard let file, let size = line().flatMap({ Int($0.dropFirst()) }) else { return }
                var bytes = [UInt8](repeating: 0, count: size + 2)
                guard fread(&bytes, 1, size + 2, file) == size + 2 else { return }
                command.append(String(decoding: bytes.dropLast(2), as: UTF8.self))
            }
            received.withLock { $0.append(command) }
            switch action(command) {
            case .reply(let text):
                _ = text.withCString { send(connection, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
            case .close:
                shutdown(connection, Int32(SHUT_RDWR))
                return
            case .ignore: break
            }
        }
    }
}
