import HTTPSyntax

extension Netrc {
    /// Reads a netrc file. It has to be a file of this user or of root that the group and others can neither read nor
    /// write, because it contains passwords.
    /// - Parameter file: The URL of the file.
    /// - Throws: ``NetrcError`` with the path, and with the line if the file is malformed.
    public init(contentsOf file: URL) throws(NetrcError) {
        let path = file.path
        guard file.isFileURL else { throw NetrcError(.unreadable, path: nil, "The URL is no URL of a file.") }
        let read: SmallFile
        do throws(SmallFile.Defect) {
            read = try SmallFile(path)
        } catch {
            throw NetrcError(.unreadable, path: path, error.sentence)
        }
        guard read.status.st_uid == geteuid() || read.status.st_uid == 0 else {
            throw NetrcError(.unprotected, path: path, "The file belongs to another user.")
        }
        guard read.status.st_mode & (S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH) == 0 else {
            throw NetrcError(
                .unprotected,
                path: path,
                "Other users can read or write the file; change that with chmod go-rw."
            )
        }
        try self.init(Array(read.content), path: path)
    }

    /// Returns the location of the user's netrc file: the path in the variable `NETRC`, otherwise `.netrc` in the home
    /// folder. In the path, a leading `~/` stands for the home folder.
    /// - Parameter environment: The environment variables. Default: those of the process.
    public static func userFile(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> URL {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let path = value("NETRC") ?? "~/.netrc"
        guard path.begins(with: "~/") else { return URL(fileURLWithPath: path) }
        return URL(fileURLWithPath: (value("HOME") ?? NSHomeDirectory()) + "/" + Substring(path.utf8.dropFirst(2)))
    }

    /// Reads the user's netrc file at ``userFile(_:)``.
    /// - Parameter environment: The environment variables. Default: those of the process.
    /// - Returns: The content; nil if there is no file, or if `NETRC` is `/dev/null`.
    /// - Throws: ``NetrcError`` with the path, and with the line if the file is malformed.
    public static func ofUser(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(NetrcError) -> Netrc? {
        let file = userFile(environment)
        var status = stat()
        if file.path == "/dev/null" { return nil }
        // A program that runs as another user may have a home folder that it cannot search.
        if stat(file.path, &status) != 0, [ENOENT, ENOTDIR, EACCES].contains(errno) { return nil }
        return try Netrc(contentsOf: file)
    }
}
