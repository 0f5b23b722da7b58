internal import HTTPSyntax

/// The location of a downloaded file, and the rules for moving it there.
///
/// ```swift
/// manager.download("report.pdf", to: .folder(downloads, replacing: true)) { response in
///     print(response.fileURL?.lastPathComponent ?? "no file")
/// }
/// ```
public struct DownloadDestination: Sendable {
    // This type is not a plain closure. Otherwise a trailing closure of a download could be taken for the destination.

    /// The closure that gets the temporary file and the response, and returns the location. If it returns nil, the file
    /// is not moved.
    let place: @Sendable (URL, URLResponse?) -> URL?
    /// True to replace an existing file.
    let isReplacing: Bool
    /// True to create missing folders.
    let makesFolders: Bool

    /// Creates a destination whose location a closure returns.
    /// - Parameters:
    ///   - replacing: True to replace an existing file atomically. If false and the file exists, the error is
    ///     `fileMoveFailed`. A folder is never replaced. Default: false.
    ///   - makingFolders: True to create missing folders. If false and a folder is missing, the error is
    ///     `fileMoveFailed`. Default: false.
    ///   - place: Gets the temporary file and the response, and returns the file's location. If it returns nil, the
    ///     file is not moved, and is removed after the completion handler has returned. Runs on the manager's
    ///     `processingQueue`.
    public init(
        replacing: Bool = false,
        makingFolders: Bool = false,
        _ place: @escaping @Sendable (_ file: URL, _ response: URLResponse?) -> URL?
    ) {
        self.place = place
        isReplacing = replacing
        makesFolders = makingFolders
    }

    /// Creates a destination with a fixed location.
    /// - Parameters:
    ///   - url: The file's location, as a `file:` URL.
    ///   - replacing: True to replace a file at that location atomically; false to fail with `fileMoveFailed` if there
    ///     is a file. A folder is never replaced. Default: false.
    ///   - makingFolders: True to create missing folders; false to fail with `fileMoveFailed` if a folder is missing.
    ///     Default: false.
    public static func file(_ url: URL, replacing: Bool = false, makingFolders: Bool = false) -> Self {
        Self(replacing: replacing, makingFolders: makingFolders) { _, _ in url }
    }

    /// Creates a destination in a folder. The file has the name of ``fileName(for:)``, or `download` if there is none.
    ///
    /// The file is always directly in this folder, even if the server suggests a path outside the folder.
    /// - Parameters:
    ///   - url: The folder, as a `file:` URL.
    ///   - replacing: True to replace an existing file of that name atomically. If false and such a file exists, the
    ///     error is `fileMoveFailed`. A folder of that name is never replaced. Default: false.
    ///   - makingFolders: True to create the folder if it is missing. If false and the folder is missing, the error is
    ///     `fileMoveFailed`. Default: false.
    public static func folder(_ url: URL, replacing: Bool = false, makingFolders: Bool = false) -> Self {
        Self(replacing: replacing, makingFolders: makingFolders) { _, response in
            url.appendingPathComponent(fileName(for: response) ?? "download", isDirectory: false)
        }
    }

    /// Returns the name for the file of a response. This is the name that the server suggests in `Content-Disposition`
    /// (RFC 6266, with `filename*` of RFC 8187), or else the last segment of the URL's path; nil if there is neither.
    ///
    /// The result is always the name of a single visible file. If the server suggests a path, only its last segment is
    /// used. Control characters, and dots and hyphens at the beginning, become underscores. The name has at most 255
    /// bytes. An invalid field suggests no name.
    /// - Parameter response: The response.
    public static func fileName(for response: URLResponse?) -> String? {
        let field = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Disposition")
        return SuggestedFilename(disposition: field, url: response?.url)?.text
    }

    /// Returns the reason why a file could not be moved, with a remedy if there is one.
    /// - Parameters:
    ///   - error: The error of the file system.
    ///   - wanted: The location.
    ///   - replacing: Whether an existing file would have been replaced.
    ///   - makingFolders: Whether missing folders would have been created.
    static func reason(
        _ error: any Error,
        for wanted: URL,
        replacing: Bool = false,
        makingFolders: Bool = false
    ) -> String {
        let manager = FileManager.default
        var isFolder: ObjCBool = false
        if manager.fileExists(atPath: wanted.path, isDirectory: &isFolder) {
            if isFolder.boolValue { return "it is a folder" }
            if !replacing { return "a file is there already; `replacing: true` replaces it" }
        }
        let folder = wanted.deletingLastPathComponent()
        var place = folder
        while !manager.fileExists(atPath: place.path, isDirectory: &isFolder), place.path.utf8.count > 1 {
            place.deleteLastPathComponent()
        }
        if !isFolder.boolValue { return "\(place.path) is a file, and not a folder" }
        if !makingFolders, place != folder {
            return "the folder \(folder.path) does not exist; `makingFolders: true` creates it"
        }
        return systemReason(of: error) ?? error.localizedDescription.withoutFullStop
    }

    /// Returns the system's description of a file system error; nil for any other error. Foundation's own description
    /// is only "NSCocoaErrorDomain error 512".
    private static func systemReason(of error: any Error) -> String? {
        var current: NSError? = error as NSError
        while let error = current {
            if error.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(error.code))) }
            current = error.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        return nil
    }

    /// Moves a file.
    static func move(_ file: URL, to wanted: URL, replacing: Bool, makingFolders: Bool) throws {
        let folder = wanted.deletingLastPathComponent()
        if makingFolders { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        guard replacing else { return try FileManager.default.moveItem(at: file, to: wanted) }
        // The file is first moved next to the existing file, because the download may be on another volume. Renaming
        // then replaces the existing file atomically.
        let beside = folder.appendingPathComponent(".larkspur-\(UUID().uuidString)")
        try FileManager.default.moveItem(at: file, to: beside)
        guard rename(beside.path, wanted.path) == 0 else {
            let code = POSIXErrorCode(rawValue: errno) ?? .EIO
            try? FileManager.default.removeItem(at: beside)
            throw POSIXError(code)
        }
    }
}
