/// A file that is read and replaced as a whole.
package enum WholeFile {
    /// Reads a file.
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - limit: The largest size, in bytes.
    ///   - followsLink: Whether the last part of the path may be a symbolic link. Default: true.
    ///   - isTruncated: Whether only the start of a file that is too large is read. Default: false.
    /// - Returns: The content; nil if there is no file.
    /// - Throws: `POSIXError` if the file cannot be read, is too large, or is not a regular file.
    package static func read(
        _ path: String,
        limit: Int,
        followsLink: Bool = true,
        isTruncated: Bool = false
    ) throws -> Data? {
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW))
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw POSIXError.ofLastCall
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw POSIXError.ofLastCall }
        guard status.st_mode & S_IFMT == S_IFREG else { throw POSIXError(.EINVAL) }
        guard isTruncated || status.st_size <= limit else { throw POSIXError(.EFBIG) }
        return try read(descriptor, limit: limit, isTruncated: isTruncated)
    }

    /// Reads to the end of a file, which may be longer than its status has said.
    private static func read(_ descriptor: Int32, limit: Int, isTruncated: Bool) throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: isTruncated ? min(limit, 1 << 14) : 1 << 14)
        while true {
            if isTruncated, data.count >= limit { return data.prefix(limit) }
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw POSIXError.ofLastCall }
            guard count > 0 else { return data }
            data.append(contentsOf: buffer[..<count])
            guard isTruncated || data.count <= limit else { throw POSIXError(.EFBIG) }
        }
    }

    /// Replaces a file, or creates it. Only its owner can read and write it. At each instant, and also if the process
    /// is killed, the path has either the old content or the new.
    /// - Parameters:
    ///   - path: The path of the file. A symbolic link is replaced.
    ///   - temporary: The name of the temporary file, in the same folder, because `rename` works only within a file
    ///     system. If the process is killed, this file remains.
    ///   - isDurable: Whether the new content is on the disk when the method returns, so that it survives a loss of
    ///     power. If not, a loss of power may leave the old content, the new, or an incomplete file. Default: false.
    ///   - body: Writes the content to a descriptor.
    /// - Throws: `POSIXError`, or the error of the body. The file is unchanged, except if its folder could not be
    ///   written to the disk.
    package static func replace(
        _ path: String,
        temporary name: String,
        isDurable: Bool = false,
        with body: (Int32) throws -> Void
    ) throws {
        let folder = folder(of: path)
        let temporary = folder + "/" + name
        // With O_EXCL, `open` fails if there is a file or link with this name already. A link is not followed.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError.ofLastCall }
        do {
            do {
                try body(descriptor)
                guard !isDurable || fsync(descriptor) == 0 else { throw POSIXError.ofLastCall }
            } catch {
                close(descriptor)
                throw error
            }
            // Some file systems report a lack of space only at this point.
            guard close(descriptor) == 0, rename(temporary, path) == 0 else { throw POSIXError.ofLastCall }
        } catch {
            unlink(temporary)
            throw error
        }
        if isDurable { try syncFolder(folder) }
    }

    /// Waits until the names in a folder are on the disk.
    package static func syncFolder(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError.ofLastCall }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw POSIXError.ofLastCall }
    }

    /// Writes all bytes to a descriptor.
    package static func write(_ data: Data, to descriptor: Int32) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw count == 0 ? POSIXError(.EIO) : POSIXError.ofLastCall }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Returns the path of the folder that contains a file; a point for the current folder.
    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the last part of a path.
    package static func name(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }
}

extension POSIXError {
    /// The error of the C function that has just failed.
    package static var ofLastCall: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
