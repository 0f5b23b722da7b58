import Glibc

/// What the kernel says of this process at the moment.
package struct ProcessStatus: Sendable {
    package var threads = 0
    package var descriptors = 0
    package var residentKiB = 0
    package var peakResidentKiB = 0

    /// Reads `/proc`. The peak is not getrusage's, which after an exec begins with that of the program before.
    package init() {
        for line in Self.contents(of: "/proc/self/status").split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count >= 2, let number = Int(words[1]) else { continue }
            switch words[0] {
            case "Threads:": threads = number
            case "VmRSS:": residentKiB = number
            case "VmHWM:": peakResidentKiB = number
            default: break
            }
        }
        descriptors = Self.countDescriptors()
    }

    /// The one with which the folder is read is not counted.
    private static func countDescriptors() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = -1
        while let entry = readdir(folder) {
            let isDescriptor = entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: "."))
            if isDescriptor { count += 1 }
        }
        return count
    }

    private static func contents(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
