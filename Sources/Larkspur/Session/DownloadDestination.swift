/// The place of a downloaded file, and the rules by which it is brought there.
///
/// ```swift
/// manager.download("report.pdf", to: .folder(downloads, replacing: true)) { response in
///     print(response.fileURL?.lastPathComponent ?? "no file")
/// }
/// ```
public struct DownloadDestination: Sendable {
    /// Gets the temporary file and the response, and returns the place; nil leaves the file where it is.
    let place: @Sendable (URL, URLResponse?) -> URL?
    /// True if a file that is there is replaced.
    let isReplacing: Bool
    /// True if folders that are missing are made.
    let makesFolders: Bool

    /// Makes a destination that a closure chooses.
    /// - Parameters:
    ///   - replacing: True to replace a file that is there, all at once; false makes it the error `fileMoveFailed`. A
    ///     folder is never replaced. Default: false.
    ///   - makingFolders: True to make folders that are missing; false makes that the error `fileMoveFailed`.
    ///     Default: false.
    ///   - place: Gets the temporary file and the response, and returns the file's place. Nil leaves the file where it
    ///     is until the completion handler has returned; then it is removed. Runs on the manager's `processingQueue`.
    public init(
        replacing: Bool = false,
        makingFolders: Bool = false,
        _ place: @escaping @Sendable (_ file: URL, _ response: URLResponse?) -> URL?
    ) {
        self.place = place
        isReplacing = replacing
        makesFolders = makingFolders
    }

    /// A file.
    /// - Parameters:
    ///   - url: The file's place, by a `file:` URL.
    ///   - replacing: True to replace a file that is there, all at once; false makes it the error `fileMoveFailed`. A
    ///     folder is never replaced. Default: false.
    ///   - makingFolders: True to make folders that are missing; false makes that the error `fileMoveFailed`.
    ///     Default: false.
    public static func file(_ url: URL, replacing: Bool = false, makingFolders: Bool = false) -> Self {
        Self(replacing: replacing, makingFolders: makingFolders) { _, _ in url }
    }

    /// A folder, in which the file has the name that the server suggests, or else the last part of the URL's path.
    ///
    /// The name is that of a file in this folder, whatever the server says.
    /// - Parameters:
    ///   - url: The folder, by a `file:` URL.
    ///   - replacing: True to replace a file of that name, all at once; false makes it the error `fileMoveFailed`.
    ///     A folder is never replaced. Default: false.
    ///   - makingFolders: True to make the folder if it is missing; false makes that the error `fileMoveFailed`.
    ///     Default: false.
    public static func folder(_ url: URL, replacing: Bool = false, makingFolders: Bool = false) -> Self {
        Self(replacing: replacing, makingFolders: makingFolders) { _, response in
            url.appendingPathComponent(name(suggestedBy: response), isDirectory: false)
        }
    }

    /// The name that a response suggests, with nothing in it that leads out of a folder or hides the file.
    static func name(suggestedBy response: URLResponse?) -> String {
        // Foundation's name on Linux for a response that suggests none.
        let suggested = response?.suggestedFilename.flatMap { $0 == "Unknown" ? nil : $0 }
        let suggestion = suggested ?? response?.url?.lastPathComponent ?? ""
        let last = suggestion.split { $0 == "/" || $0 == "\\" }.last ?? ""
        let name = last.unicodeScalars.filter { $0.properties.generalCategory != .control }.drop { $0 == "." }
        return name.isEmpty ? "download" : String(String.UnicodeScalarView(name))
    }

    /// Moves a file.
    static func move(_ file: URL, to wanted: URL, replacing: Bool, makingFolders: Bool) throws {
        let folder = wanted.deletingLastPathComponent()
        if makingFolders { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        guard replacing else { return try FileManager.default.moveItem(at: file, to: wanted) }
        // First beside the other file, as the download may be on another volume. Renaming replaces at once.
        let beside = folder.appendingPathComponent(".larkspur-\(UUID().uuidString)")
        try FileManager.default.moveItem(at: file, to: beside)
        guard rename(beside.path, wanted.path) == 0 else {
            let code = POSIXErrorCode(rawValue: errno) ?? .EIO
            try? FileManager.default.removeItem(at: beside)
            throw POSIXError(code)
        }
    }
}
