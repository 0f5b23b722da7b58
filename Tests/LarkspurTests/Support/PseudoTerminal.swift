import Foundation
import Synchronization
import Testing

/// A terminal that a test reads; on Linux.
final class PseudoTerminal: Sendable {
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    /// What programs write to.
    let file: FileHandle
    private let controller: FileHandle
    private let text = Recorder<String>()

    init(columns: UInt16) throws {
        let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(descriptor >= 0)
        controller = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // What unlockpt and ptsname do, which Swift does not see.
        var lock: Int32 = 0
        var number: UInt32 = 0
        try #require(ioctl(descriptor, Self.setLock, &lock) == 0 && ioctl(descriptor, Self.getNumber, &number) == 0)
        let end = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(end >= 0)
        file = FileHandle(fileDescriptor: end, closeOnDealloc: true)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0)
        controller.readabilityHandler = { [text] in text.record(String(decoding: $0.availableData, as: UTF8.self)) }
    }

    deinit { controller.readabilityHandler = nil }

    /// Waits until what was written ends with a text, and returns all of it.
    func read(until end: String) async throws -> String {
        try await eventually { text.values.joined().hasSuffix(end) }
        return text.values.joined()
    }
}
