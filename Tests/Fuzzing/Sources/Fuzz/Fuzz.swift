import CFuzz
import Foundation

/// The program of all fuzz targets:
///
///     Fuzz list                          prints the names of the targets
///     Fuzz TARGET [OPTION…] [FOLDER…]    runs libFuzzer with its own options and corpora
///     Fuzz growth TARGET LENGTH [FOLDER…] compares the costs of inputs of different lengths
///     Fuzz show FILE                     prints an input as a literal of Swift
@main
enum Fuzz {
    /// The target that libFuzzer runs. Set once, before libFuzzer starts.
    nonisolated(unsafe) private static var current: FuzzTarget?

    /// The environment variable with the name of the target, for processes that libFuzzer starts.
    private static let variable = "LARKSPUR_FUZZ_TARGET"

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "list": for target in FuzzTarget.all { print(target.name) }
        case "growth": exit(growth(arguments.dropFirst()))
        case "show": exit(show(arguments.dropFirst()))
        // To merge corpora, libFuzzer starts this program once more, without the name of the target.
        case let option? where option.hasPrefix("-"):
            exit(run(target(named: ProcessInfo.processInfo.environment[variable]), arguments[...]))
        case let name?: exit(run(target(named: name), arguments.dropFirst()))
        case nil: fail("Name a target; “list” lists them.")
        }
    }

    private static func target(named name: String?) -> FuzzTarget {
        guard let target = (FuzzTarget.all + [.planted, .quadratic]).first(where: { $0.name == name }) else {
            fail("There is no target with the name \(name ?? "")")
        }
        return target
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(64)
    }

    // MARK: Fuzzing

    private static func run(_ target: FuzzTarget, _ options: ArraySlice<String>) -> Int32 {
        current = target
        setenv(variable, target.name, 1)
        // libFuzzer keeps the pointers to the arguments, which are therefore never freed.
        var pointers = (CommandLine.arguments.prefix(1) + options).map { strdup($0) } + [nil]
        var count = Int32(pointers.count - 1)
        return pointers.withUnsafeMutableBufferPointer { pointers in
            guard
                var start = UnsafeMutableRawPointer(pointers.baseAddress)?
                    .assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
            else { return 70 }
            return LLVMFuzzerRunDriver(&count, &start) { bytes, count in
                Fuzz.current?.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            }
        }
    }

    private static func show(_ arguments: ArraySlice<String>) -> Int32 {
        guard let path = arguments.first, let data = FileManager.default.contents(atPath: path) else {
            fail("Name a file.")
        }
        print(Literal.text(of: Array(data)))
        return 0
    }

    // MARK: Growth

    private static func growth(_ arguments: ArraySlice<String>) -> Int32 {
        let target = target(named: arguments.first)
        guard let length = arguments.dropFirst().first.flatMap({ Int($0) }), length >= 64 else {
            fail("Name the length of the longest input, at least 64.")
        }
        let corpus = arguments.dropFirst(2).flatMap { folder in
            (FileManager.default.subpaths(atPath: folder) ?? []).sorted().compactMap { name in
                FileManager.default.contents(atPath: folder + "/" + name).map { ([UInt8]($0), name) }
            }
        }
        let start = ContinuousClock.now
        let (excesses, count) = GrowthCheck(target, length: length).excesses(corpus: corpus)
        for excess in excesses { print("\(target.name): the cost grows faster than the input: \(excess)") }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print("\(target.name): \(count) inputs grew, \(excesses.count) too fast, \(Int(seconds.rounded())) s")
        return excesses.isEmpty ? 0 : 1
    }
}

/// The notation of inputs as literals of Swift.
enum Literal {
    /// Returns a literal of an array of bytes, and in a comment the text if the bytes are text.
    static func text(of bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return "Array(\(text.debugDescription).utf8)" }
        let digits = bytes.map { byte in
            let text = String(byte, radix: 16, uppercase: true)
            return "0x" + (text.count == 1 ? "0" : "") + text
        }
        return "[\(digits.joined(separator: ", "))] as [UInt8]"
    }
}
