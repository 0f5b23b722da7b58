import HTTPSyntax
import JSONSyntax
import Larkspur

/// The file with the user's default options, in HTTPie's format: `{"default_options": ["--session=me"]}`.
///
/// The options can direct requests to a proxy, or turn off the verification of certificates. So a file that another
/// user can write is an error, as ssh treats its own.
struct ConfigurationFile: Sendable {
    let path: String
    /// The default options, as arguments.
    let arguments: [String]
    /// The line of each argument, from 1.
    private let lines: [Int]

    /// The largest size, in bytes.
    private static let largestSize = 1 << 20

    /// Reads the file of the user. Returns nil if there is none.
    static func read(_ environment: [String: String]) throws(UsageError) -> ConfigurationFile? {
        let folder = SettingsFolder.path(in: environment)
        let path = folder + "/config.json"
        // A pipe must not block the program.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            // A program that runs as another user may have a home folder that it cannot search.
            if code == ENOENT || code == ENOTDIR || (code == EACCES && access(folder, X_OK) != 0) { return nil }
            throw UsageError("\(path): \(String(cString: strerror(code))); --ignore-config ignores it.")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw UsageError("\(path) is no file.")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw UsageError("\(path) belongs to another user; --ignore-config ignores it.")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw UsageError("\(path): other users can write to this file; change that with chmod go-w.")
        }
        guard status.st_size <= largestSize, let data = try? file.readToEnd() ?? Data() else {
            throw UsageError("\(path) cannot be read.")
        }
        return try ConfigurationFile(Array(data), path: path)
    }

    /// - Parameters:
    ///   - bytes: The content.
    ///   - path: The path, for errors.
    init(_ bytes: [UInt8], path: String) throws(UsageError) {
        func line(_ offset: Int) -> Int { bytes.prefix(offset).count(where: { $0 == UInt8(ascii: "\n") }) + 1 }
        func failure(_ message: String, at offset: Int) -> UsageError {
            Self.failure(message, in: path, line: line(offset))
        }
        let root: JSONNode
        do throws(JSONFailure) {
            root = try JSONNode(bytes)
        } catch {
            throw failure("This is no JSON: \(error.reason).", at: error.offset)
        }
        guard let members = root.members else { throw failure("The file is no JSON object.", at: root.offset) }
        var arguments: [String] = []
        var lines: [Int] = []
        // HTTPie's own files also have a member `__meta__`.
        for member in members where member.name != "__meta__" {
            guard member.name == "default_options" else {
                throw failure("There is no setting “\(member.name)”, only default_options.", at: member.value.offset)
            }
            guard let elements = member.value.array else {
                throw failure("The value of default_options is no array.", at: member.value.offset)
            }
            for element in elements {
                guard let text = element.string else {
                    throw failure("A default option is no string.", at: element.offset)
                }
                arguments.append(text)
                lines.append(line(element.offset))
            }
        }
        self.path = path
        self.arguments = arguments
        self.lines = lines
    }

    /// Returns the error of an argument, with the path and the line.
    func failure(_ message: String, ofArgument index: Int) -> UsageError {
        Self.failure(message, in: path, line: lines.indices.contains(index) ? lines[index] : lines.last ?? 1)
    }

    private static func failure(_ message: String, in path: String, line: Int) -> UsageError {
        UsageError("\(path):\(line): \(message)")
    }
}
