import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur

@Suite("Reading a multipart form", .timeLimit(.minutes(5)))
struct MultipartReaderTests {
    let folder = TemporaryFolder()

    /// Everything that a reader delivers in chunks of a size.
    private func read(_ form: MultipartFormData, chunks size: Int) throws -> Data {
        let reader = MultipartReader(form)
        var buffer = [UInt8](repeating: 0, count: size)
        var data = Data()
        while true {
            let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
            guard count > 0 else { return data }
            data.append(contentsOf: buffer[..<count])
        }
    }

    private func makeForm() throws -> MultipartFormData {
        var form = MultipartFormData(boundary: try MultipartBoundary("B"))
        form.append(text: "Ada", name: "author")
        try form.append(file: try folder.file("empty"), name: "empty")
        try form.append(
            file: try folder.file("file", Data((0..<1000).map { UInt8(truncatingIfNeeded: $0) })),
            name: "f"
        )
        try form.append(length: 500, name: "stream") { InputStream(data: Data(repeating: 9, count: 500)) }
        return form
    }

    @Test("For chunks of any size, the bytes are the same, and as many as announced")
    func chunks() throws {
        let form = try makeForm()
        let whole = try form.data()
        #expect(Int64(whole.count) == form.contentLength)
        for size in Array(1...90) + [999, 1000, 1001, 1 << 20] {
            #expect(try read(form, chunks: size) == whole, "\(size)")
        }
    }

    @Test("Reading into a buffer without space does not end the form")
    func noRoom() throws {
        let reader = MultipartReader(try makeForm())
        #expect(try reader.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0)) == 0)
        var buffer = [UInt8](repeating: 0, count: 3)
        #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } == 3)
        #expect(buffer == Array("--B".utf8))
    }

    @Test(
        "A file that has changed is an error, whenever the change is detected",
        arguments: ["gone", "longer", "shorter", "a pipe", "a folder"]
    )
    func changedBefore(change: String) throws {
        let file = try folder.file("file", Data(count: 1000))
        var form = MultipartFormData()
        try form.append(file: file, name: "a")
        switch change {
        case "gone": try FileManager.default.removeItem(at: file)
        case "longer": try Data(count: 1001).write(to: file)
        case "shorter": try Data(count: 999).write(to: file)
        case "a pipe":
            try FileManager.default.removeItem(at: file)
            mkfifo(file.path, 0o600)
        default:
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        }
        let error = #expect(throws: LarkspurError.self) { try form.data() }
        #expect(error?.code == .bodyUnreadable)
        #expect(error?.message.contains(file.path) == true)
    }

    @Test("A file that is written during reading is an error", arguments: ["longer", "shorter", "other content"])
    func changedMeanwhile(change: String) throws {
        let file = try folder.file("file", Data(count: 300_000))
        var form = MultipartFormData()
        try form.append(file: file, name: "a")
        let reader = MultipartReader(form)
        var buffer = [UInt8](repeating: 0, count: 1000)
        func readOn() throws -> Int { try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } }
        #expect(try readOn() == 1000)

        let handle = try FileHandle(forUpdating: file)
        switch change {
        case "longer":
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(count: 1))
        case "shorter": try handle.truncate(atOffset: 299_999)
        default: try handle.write(contentsOf: Data([1]))
        }
        try handle.close()
        var total = 1000
        let error = #expect(throws: LarkspurError.self) {
            while true {
                let count = try readOn()
                guard count > 0 else { break }
                total += count
            }
        }
        #expect(error?.code == .bodyUnreadable)
        // The closing delimiter is not among what was delivered.
        #expect(Int64(total) < form.contentLength)
    }

    @Test("A stream of another length than announced is an error", arguments: [0, 99, 101, 5000])
    func streamLength(count: Int) throws {
        var form = MultipartFormData()
        try form.append(length: 100, name: "a") { InputStream(data: Data(count: count)) }
        let error = #expect(throws: LarkspurError.self) { try form.data() }
        #expect(error?.code == .bodyUnreadable)
        #expect(error?.message.contains("100") == true)
    }

    @Test("A stream that fails, and a closure that returns no stream, are errors")
    func streamFailure() throws {
        var form = MultipartFormData()
        let missing = folder.url.appendingPathComponent("missing")
        try form.append(length: 100, name: "a") { InputStream(url: missing) }
        #expect(throws: LarkspurError.self) { try form.data() }

        var failing = MultipartFormData()
        try failing.append(length: 100, name: "a") { FailingStream() }
        let error = #expect(throws: LarkspurError.self) { try failing.data() }
        #expect((error?.underlyingError as? CocoaError)?.code == .fileReadUnknown)

        var closed = MultipartFormData()
        try closed.append(length: 100, name: "a") {
            let stream = InputStream(data: Data(count: 100))
            stream.open()
            stream.close()
            return stream
        }
        #expect(throws: LarkspurError.self) { try closed.data() }

        var none = MultipartFormData()
        try none.append(length: 100, name: "a") { nil }
        #expect(throws: LarkspurError.self) { try none.data() }
    }

    @Test("A single stream is sent once, and sending it again is an error")
    func singleStream() throws {
        var form = MultipartFormData()
        try form.append(stream: InputStream(data: Data("once".utf8)), length: 4, name: "a")
        let copy = form
        #expect(Int64(try form.data().count) == form.contentLength)
        let error = #expect(throws: LarkspurError.self) { try copy.data() }
        #expect(error?.code == .bodyUnreadable)
    }

    @Test("Files are open only while they are read")
    func descriptors() throws {
        var form = MultipartFormData()
        // More than a process may have open.
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let file = try folder.file("file", Data("a".utf8))
        for _ in 0..<min(Int(limit.rlim_cur) + 100, 5000) { try form.append(file: file, name: "a") }
        #expect(Int64(try form.data().count) == form.contentLength)
    }

    @Test("A throttled form is read at its rate, by the given clock")
    func throttled() throws {
        var form = MultipartFormData()
        form.append(data: Data(count: 10_000), name: "a")
        form.bytesPerSecond = 1000
        let clock = ManualThrottleClock()
        let reader = MultipartReader(form, clock: clock)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var total = 0
        while true {
            let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
            guard count > 0 else { break }
            #expect(count <= 100)
            total += count
            // The rate limits the bytes that were read by now, except those of the current chunk.
            #expect(Double(total) <= clock.now / .seconds(1) * 1000 + 100)
        }
        #expect(Int64(total) == form.contentLength)
        #expect(abs(clock.now / .seconds(1) - Double(total) / 1000) < 0.2)
    }
}

/// A stream that gives some bytes and then an error.
private final class FailingStream: InputStream {
    private var hasFailed = false

    init() { super.init(data: Data()) }

    override var streamStatus: Stream.Status { hasFailed ? .error : .open }
    override var streamError: (any Error)? { hasFailed ? CocoaError(.fileReadUnknown) : nil }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        hasFailed = true
        return -1
    }
}
