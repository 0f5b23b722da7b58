/// The content of a request, if it does not come from the parameters.
enum RequestContent {
    /// A value and its encoder.
    case value(any Encodable, any DataEncoder)
    /// Data, with its media type.
    case data(Data, type: String?)
    /// A file or a stream that the task sends, with its media type.
    case sentByTask(type: String?)

    /// The media type.
    var mediaType: String? {
        switch self {
        case .value(_, let encoder): encoder.contentType
        case .data(_, let type), .sentByTask(let type): type
        }
    }

    /// Returns the content that is part of the request itself; nil if the task sends the content.
    /// - Throws: `parameterEncodingFailed`, which names the type of the value that cannot be encoded, but never the
    ///   value.
    func encoded() throws(LarkspurError) -> Data? {
        switch self {
        case .value(let value, let encoder): try Self.encode(value, by: encoder)
        case .data(let data, _): data
        case .sentByTask: nil
        }
    }

    private static func encode(_ value: any Encodable, by encoder: any DataEncoder) throws(LarkspurError) -> Data {
        // Foundation on Linux terminates the process if this format is requested.
        if let list = encoder as? PropertyListEncoder, list.outputFormat == .openStep {
            throw LarkspurError(.parameterEncodingFailed, "The OpenStep format cannot be written: use .xml or .binary.")
        }
        do {
            return try encoder.encode(value)
        } catch let error as LarkspurError {
            throw error
        } catch EncodingError.invalidValue(let invalid, let context) {
            // The message has only the type, because the description of the encoder's error may contain the value.
            let path = ParameterPath.description(of: context.codingPath)
            throw LarkspurError(
                .parameterEncodingFailed,
                "The body cannot be encoded: its encoder refuses this \(type(of: invalid))"
                    + (path.isEmpty ? "." : " at `\(path)`."),
                underlyingError: EncodingError.invalidValue(invalid, context)
            )
        } catch {
            throw LarkspurError(
                .parameterEncodingFailed,
                "The body cannot be encoded: encoding it threw \(type(of: error)).",
                underlyingError: error
            )
        }
    }
}

/// Checks of the file of an upload.
enum UploadFile {
    /// Checks before an upload that a file can be sent. Without this check, transports hang or fail in worse ways if
    /// the file is missing or is a folder.
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
        // For a symbolic link, the values above describe the link, so its target is examined, too.
        guard
            values.isRegularFile == true
                || (try? file.resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey]).isRegularFile)
                    == true
        else {
            throw LarkspurError(
                .fileUnreadable,
                "The file to upload, \(file.path), is not a regular file.",
                failingURL: file
            )
        }
        guard FileManager.default.isReadableFile(atPath: file.path) else {
            throw LarkspurError(.fileUnreadable, "The file to upload, \(file.path), cannot be read.", failingURL: file)
        }
    }
}
