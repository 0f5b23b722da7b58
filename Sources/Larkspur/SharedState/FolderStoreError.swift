internal import HTTPSyntax

/// An error of a ``FolderStore``. It has no keys and no values.
public struct FolderStoreError: Error, Sendable, Equatable {
    /// The code of the system: for instance `ENOSPC` if the disk is full, `EACCES` or `EROFS` if the folder cannot be
    /// written, `ELOOP` or `ENOTDIR` for a symbolic link, `EINVAL` for a pipe or another file that is not regular.
    /// `EPERM` if other users can write the folder, or if the system does not permit the change of a file, `ETIMEDOUT`
    /// if other processes have used the lock of the folder for too long, `ENOLCK`, `ENOSYS` or `EOPNOTSUPP` if the file
    /// system has no locks, `EBADMSG` if the file of a value is damaged, `EFBIG` if a value is too large.
    public let code: POSIXErrorCode
    /// The path of the file or folder.
    public let path: String

    init(_ code: POSIXErrorCode, _ path: String) {
        self.code = code
        self.path = path
    }
}

extension FolderStoreError: CustomStringConvertible, LocalizedError {
    /// The path and the reason, as a sentence.
    public var description: String { "The store failed at \(path): \(reason)." }
    /// The path and the reason, as a sentence.
    public var errorDescription: String? { description }

    private var reason: String {
        switch code {
        case .EPERM: "it belongs to another user, other users can write it, or the system does not permit to change it"
        case .ETIMEDOUT: "other processes have used the lock for too long"
        case .ENOLCK, .ENOSYS, .EOPNOTSUPP: "its file system has no locks, which a store needs"
        case .EBADMSG: "the file is damaged, or is no file of a store"
        case .EINVAL: "this is no regular file"
        default: String(cString: strerror(code.rawValue))
        }
    }
}
