#if os(Linux)
import Foundation

/// The files that this process has open.
enum OpenFiles {
    /// Returns the number of descriptors that lead to the file that a path has now. A thread that waits for the lock of
    /// a file has opened it.
    static func count(of path: String) throws -> Int {
        var file = stat()
        guard stat(path, &file) == 0 else { return 0 }
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
            .count { descriptor in
                var status = stat()
                return fstat(descriptor, &status) == 0 && status.st_dev == file.st_dev && status.st_ino == file.st_ino
            }
    }
}
#endif
