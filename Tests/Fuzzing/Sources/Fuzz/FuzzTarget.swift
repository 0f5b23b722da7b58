import Foundation

/// A parser, and the properties that it has for every input.
struct FuzzTarget: Sendable {
    /// The name, on the command line and of the folder of the corpus.
    let name: String
    /// Runs the parser with an input. If a property does not hold, the process ends.
    let run: @Sendable ([UInt8]) -> Void
    /// The part of ``run`` whose cost has to be proportional to the length of the input; nil if none has.
    let measured: (@Sendable ([UInt8]) -> Void)?

    /// - Parameters:
    ///   - name: The name.
    ///   - measured: The work whose cost is measured. Default: `run`.
    ///   - run: Runs the parser and checks its properties.
    init(
        _ name: String,
        measured: (@Sendable ([UInt8]) -> Void)? = nil,
        _ run: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.name = name
        self.run = run
        self.measured = measured ?? run
    }

    /// Creates a target that gets its input as text, decoded as the engine decodes fields.
    init(
        text name: String,
        measured: (@Sendable (String) -> Void)? = nil,
        _ run: @escaping @Sendable (String) -> Void
    ) {
        let measured: (@Sendable ([UInt8]) -> Void)? = measured.map { measured in
            { @Sendable in measured(String(networkBytes: $0)) }
        }
        self.init(name, measured: measured) { run(String(networkBytes: $0)) }
    }

    /// Creates a target whose cost is not measured, because other code determines it.
    init(unmeasured name: String, _ run: @escaping @Sendable ([UInt8]) -> Void) {
        self.name = name
        self.run = run
        measured = nil
    }

    static let all: [FuzzTarget] = {
        let groups: [[FuzzTarget]] = [
            messages, values, cookies, references, security, contents, webSockets, formats, commandLine,
        ]
        return groups.flatMap(\.self).sorted { $0.name < $1.name }
    }()

    /// A target with a fault, for a test of the fuzzer itself.
    static let planted = FuzzTarget("planted") { bytes in
        // One byte after the other, so that libFuzzer sees each right one.
        guard bytes.count > 3, bytes[0] == UInt8(ascii: "H"), bytes[1] == UInt8(ascii: "T") else { return }
        guard bytes[2] == UInt8(ascii: "T"), bytes[3] == UInt8(ascii: "P") else { return }
        require(false, "this text is not allowed")
    }

    /// A target whose cost is quadratic, for a test of the growth check itself.
    static let quadratic = FuzzTarget("quadratic") { bytes in
        var count = 0
        let mark = UInt8(ascii: ";")
        for index in bytes.indices.dropFirst() where bytes[index] == mark && bytes[index - 1] == mark {
            for earlier in stride(from: 0, to: index, by: 2) where bytes[earlier] == mark { count += 1 }
        }
        require(count >= 0, "the count is a count")
    }
}

/// Ends the process, with a message, if a property does not hold. libFuzzer then stores the input.
func require(
    _ condition: Bool,
    _ message: @autoclosure () -> String,
    file: StaticString = #fileID,
    line: UInt = #line
) {
    guard !condition else { return }
    FileHandle.standardError.write(Data("\(file):\(line): Property failed: \(message())\n".utf8))
    abort()
}

/// Requires that two values are equal.
func require<Value: Equatable>(
    _ value: Value,
    equals expected: Value,
    _ message: @autoclosure () -> String,
    file: StaticString = #fileID,
    line: UInt = #line
) {
    require(
        value == expected,
        "\(message())\n  is:       \(String(reflecting: value))\n  expected: \(String(reflecting: expected))",
        file: file,
        line: line
    )
}

/// The divisions of an input into consecutive parts, as a network might divide it.
enum Division {
    /// Returns divisions: the whole input, parts whose borders follow from the input, and single bytes.
    static func all(of bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
        let singles = bytes.count > 256 ? [] : [bytes.indices.map { bytes[$0...$0] }]
        return [[bytes[...]], parts(of: bytes)] + singles
    }

    /// Returns parts of one to a few dozen bytes, whose borders change with each change of the input.
    static func parts(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var random = SeededGenerator(seed: hash(bytes))
        let longest = [2, 8, 64, 512][Int(random.next() % 4)]
        var parts: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(1 + Int(random.next() % UInt64(longest)))
            parts.append(part)
            rest = rest[part.endIndex...]
        }
        return parts
    }

    /// Returns parts of 1 to 32 bytes. Their lengths are the same for each input, so that the costs of two inputs can
    /// be compared.
    static func steady(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(1 + parts.count * 7 % 32)
            parts.append(part)
            rest = rest[part.endIndex...]
        }
        return parts
    }

    /// FNV-1a.
    static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}

/// A reader of choices from an input, for targets that build a structure. An input that ends early makes the choice 0.
struct Choices {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Returns a number from 0 to `count` − 1.
    mutating func number(below count: Int) -> Int { Int(byte()) % max(1, count) }

    mutating func flag() -> Bool { byte() & 1 == 1 }

    mutating func element<Element>(of elements: [Element]) -> Element { elements[number(below: elements.count)] }

    /// Returns the bytes up to the next zero byte, at most `limit` bytes.
    mutating func bytes(atMost limit: Int = 1 << 12) -> [UInt8] {
        let part = rest.prefix(limit).prefix { $0 != 0 }
        rest = rest[part.endIndex...]
        if rest.first == 0 { rest.removeFirst() }
        return Array(part)
    }

    /// Returns a text up to the next zero byte.
    mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }

    /// Returns a signed number of eight bytes.
    mutating func integer() -> Int64 { Int64(bitPattern: (0..<8).reduce(0) { sum, _ in sum << 8 | UInt64(byte()) }) }
}
