/// Checks of the file of an upload.
enum UploadFile {
    /// Checks before an upload that a file can be sent. For missing files and for folders, transports hang or fail in
    /// worse ways.
    /// - Throws: `fileUnreadable`.
    static func check(_ file: URL) throws(LarkspurError) {
        guard file.isFileURL else {
            throw LarkspurError(.fileUnreadable, "A file to upload is named by a file: URL.", failingURL: file)
        }
        let values: URLResourceValues
        do {
            values = try file.absoluteURL.resourceValues(forKeys: [.isRegularFileKey])
        } catch {
            throw LarkspurError(
                .fileUnreadable,
                "The file to upload, \(file.path), does not exist or cannot be looked at.",
                underlyingError: error,
                failingURL: file
            )
        }
        guard
            values.isRegularFile == true
                || (try? file.resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey]).isRegularFile)
                    == true
        else {
            throw LarkspurError(
                .fileUnreadable,
                "What is to be uploaded, \(file.path), is no regular file.",
                failingURL: file
            )
        }
        guard FileManager.default.isReadableFile(atPath: file.path) else {
            throw LarkspurError(.fileUnreadable, "The file to upload, \(file.path), cannot be read.", failingURL: file)
        }
    }
}
