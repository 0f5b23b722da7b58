#if canImport(FoundationNetworking)
import Foundation

/// The memory and the CPU time that the process needs from a moment on, and its sockets.
struct ProcessUsage {
    private let memory: Int
    private let startTime = Self.cpuTime
    private let start = ContinuousClock.now

    init() {
        memory = Self.trimmedMemory
        // The largest size so far is forgotten.
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    /// The growth of the memory up to its largest size since then, in bytes.
    var growth: Int { max(0, Self.status("VmHWM") - memory) }

    /// The growth of the memory that is still in use, in bytes.
    var lastingGrowth: Int { max(0, Self.trimmedMemory - memory) }

    /// The CPU time since then, in seconds.
    var time: Double { Self.cpuTime - startTime }

    /// The time since then, in whole seconds.
    var seconds: Int64 { start.duration(to: .now).components.seconds }

    /// The CPU time of the process so far, in seconds.
    static var cpuTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The memory without what the allocator only keeps for later.
    static var trimmedMemory: Int {
        typealias Trim = @convention(c) (Int) -> Int32
        // The C library's own header is not among those that Foundation imports, and musl has no such function.
        if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: Trim.self)(0) }
        return status("VmRSS")
    }

    /// The memory of all objects, without what the allocator keeps between them; nil if the C library does not tell.
    static var allocatedMemory: Int? {
        typealias Information = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
        guard let information = dlsym(nil, "malloc_info"), let file = tmpfile() else { return nil }
        defer { fclose(file) }
        _ = unsafeBitCast(information, to: Information.self)(0, file)
        rewind(file)
        // The last lines are sums: what the system has given, and the free parts of it.
        var sums: [String: Int] = [:]
        var line = [CChar](repeating: 0, count: 200)
        while fgets(&line, 200, file) != nil {
            let parts = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                .split(separator: "\"", omittingEmptySubsequences: false)
            guard let index = parts.firstIndex(where: { $0.hasSuffix(" size=") }), parts.count > index + 1 else {
                continue
            }
            sums[parts[..<min(2, index)].joined()] = Int(parts[index + 1])
        }
        guard let given = sums["<system type=current"] else { return nil }
        return given - (sums["<total type=fast"] ?? 0) - (sums["<total type=rest"] ?? 0)
            + (sums["<total type=mmap"] ?? 0)
    }

    private static func status(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    /// The number of connected sockets of this process that have a port, on either side.
    static func socketCount(_ isIncluded: (UInt16) -> Bool) -> Int {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return entries.compactMap { Int32($0) }.filter { descriptor in
            [getsockname, getpeername].contains { function in
                var address = sockaddr_in()
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let result = withUnsafeMutablePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { function(descriptor, $0, &length) }
                }
                return result == 0 && address.sin_family == sa_family_t(AF_INET)
                    && isIncluded(UInt16(bigEndian: address.sin_port))
            }
        }.count
    }
}
#endif
