import HTTPSyntax

/// The media types of files, by their extensions.
enum FileType {
    /// Returns the media type of a file; nil if its extension is unknown.
    static func of(_ path: String) -> String? {
        let name = path.parts(separatedBy: "/").last ?? ""
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
        return types[name[name.utf8.index(after: dot)...].lowercased()]
    }

    private static let types: [String: String] = [
        "avif": "image/avif", "bin": "application/octet-stream", "bmp": "image/bmp", "css": "text/css",
        "csv": "text/csv", "gif": "image/gif", "gz": "application/gzip", "htm": "text/html", "html": "text/html",
        "ico": "image/vnd.microsoft.icon", "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript",
        "json": "application/json", "md": "text/markdown", "mp3": "audio/mpeg", "mp4": "video/mp4",
        "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml", "tar": "application/x-tar",
        "txt": "text/plain", "wasm": "application/wasm", "wav": "audio/x-wav", "webp": "image/webp",
        "xml": "text/xml", "zip": "application/zip",
    ]
}
