import Larkspur
import Measuring

/// The cost of encoding a form with one large file, against plain reading and copying of that file with buffers of the
/// same size.
@main
enum BenchMultipart {
    private static let bufferSize = 1 << 17
    private static let rounds = 5

    static func main() throws {
        let size = (CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 512) << 20
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "BenchMultipart-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("file")
        let target = folder.appendingPathComponent("target")
        try makeFile(file, size)
        var form = MultipartFormData()
        try form.append(file: file, name: "file")

        // The rounds of one after those of the other would meet another machine.
        var results: [[Result]] = [[], [], [], []]
        for _ in 0..<rounds {
            results[0].append(try measure(size) { try read(file) })
            results[1].append(try measure(size) { read(form.makeInputStream()) })
            results[2].append(try measure(size) { try copy(file, to: target) })
            results[3].append(try measure(size) { try form.write(to: target) })
        }
        for (name, results) in zip(["plain read", "form's stream", "plain copy", "form to a file"], results) {
            let median = results.sorted { $0.rate < $1.rate }[rounds / 2]
            print("\(name): \(median.rate) MiB/s, \(median.processor) µs of CPU for each MiB")
        }
        print("peak memory: \(ProcessStatus().peakResidentKiB >> 10) MiB")
    }

    private struct Result {
        let rate: Int
        let processor: Int
    }

    private static func measure(_ size: Int, _ body: () throws -> Void) rethrows -> Result {
        var meter = Meter()
        meter.start()
        try body()
        meter.stop()
        let mebibytes = size >> 20
        return Result(
            rate: mebibytes * 1_000_000 / max(1, meter.wallMicroseconds),
            processor: meter.processorMicroseconds / max(1, mebibytes)
        )
    }

    private static func makeFile(_ file: URL, _ size: Int) throws {
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        let chunk = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        for _ in 0..<size >> 20 { try handle.write(contentsOf: chunk) }
        try handle.close()
    }

    private static func read(_ stream: InputStream) {
        var buffer = [UInt8](repeating: 0, count: bufferSize)
        stream.open()
        while stream.read(&buffer, maxLength: bufferSize) > 0 {}
        stream.close()
    }

    private static func read(_ file: URL) throws {
        let source = open(file.path, O_RDONLY)
        defer { close(source) }
        var buffer = [UInt8](repeating: 0, count: bufferSize)
        while Foundation.read(source, &buffer, bufferSize) > 0 {}
    }

    private static func copy(_ file: URL, to target: URL) throws {
        let source = open(file.path, O_RDONLY)
        // Under another name first, as the form does.
        let partial = target.path + ".partial"
        let sink = open(partial, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var buffer = [UInt8](repeating: 0, count: bufferSize)
        while true {
            let count = Foundation.read(source, &buffer, bufferSize)
            guard count > 0 else { break }
            guard write(sink, buffer, count) == count else { throw CocoaError(.fileWriteOutOfSpace) }
        }
        close(source)
        close(sink)
        guard rename(partial, target.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
