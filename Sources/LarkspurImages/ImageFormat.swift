import HTTPSyntax

/// A format of image files, recognized by their first bytes.
///
/// It is a struct rather than an enum, so that a new format breaks no `switch` of a program. Give every `switch` a
/// `default`.
public struct ImageFormat: RawRepresentable, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    enum Kind: String, Sendable, CaseIterable {
        case png, jpeg, gif, bmp, ico, tiff, webp, avif
    }

    let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// PNG, including animated PNG.
    public static let png = Self(.png)
    /// JPEG.
    public static let jpeg = Self(.jpeg)
    /// GIF.
    public static let gif = Self(.gif)
    /// Windows bitmaps.
    public static let bmp = Self(.bmp)
    /// Windows icons.
    public static let ico = Self(.ico)
    /// TIFF; BigTIFF is not recognized.
    public static let tiff = Self(.tiff)
    /// WebP.
    public static let webp = Self(.webp)
    /// AVIF, both pictures and sequences.
    public static let avif = Self(.avif)

    /// The formats that this version knows.
    public static let allCases = Kind.allCases.map { Self($0) }

    /// The name in lower case, such as `png`.
    public var rawValue: String { kind.rawValue }

    /// The name in lower case, such as `png`.
    public var description: String { rawValue }

    /// Returns whether two formats are the same.
    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }

    /// Creates a format from its name; nil if this version does not know the name.
    /// - Parameter rawValue: The name in lower case, such as `png`.
    public init?(rawValue: String) {
        guard let kind = Kind(rawValue: rawValue) else { return nil }
        self.init(kind)
    }

    /// Recognizes a format by the first bytes of an image; nil if they match no format.
    /// - Parameter data: The image, or at least its first 12 bytes.
    public init?(_ data: Data) {
        guard let format = data.withUnsafeBytes({ Self.recognize(ImageBytes($0)) }) else { return nil }
        self = format
    }

    /// The media types with which servers send the format. The first is the registered one.
    public var contentTypes: [String] {
        switch kind {
        case .png: ["image/png"]
        case .jpeg: ["image/jpeg", "image/jpg", "image/pjpeg"]
        case .gif: ["image/gif"]
        case .bmp: ["image/bmp", "image/x-bmp", "image/x-ms-bmp", "image/x-xbitmap", "image/x-win-bitmap"]
        case .ico: ["image/vnd.microsoft.icon", "image/x-icon", "image/ico"]
        case .tiff: ["image/tiff"]
        case .webp: ["image/webp"]
        case .avif: ["image/avif", "image/avif-sequence"]
        }
    }

    /// Creates the format of a media type; nil if the type belongs to no format or to several.
    /// - Parameter contentType: The value of a Content-Type field, with or without parameters.
    public init?(contentType: String) {
        let essence = MediaType.essence(of: contentType)
        guard let format = Self.allCases.first(where: { $0.contentTypes.contains(essence) }) else { return nil }
        self = format
    }

    static func recognize(_ bytes: ImageBytes) -> ImageFormat? {
        if bytes.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) { return .png }
        if bytes.has([0xFF, 0xD8, 0xFF], at: 0) { return .jpeg }
        if bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0) { return .gif }
        if bytes.has("RIFF", at: 0) && bytes.has("WEBP", at: 8) { return .webp }
        if bytes.has("II*\0", at: 0) || bytes.has("MM\0*", at: 0) { return .tiff }
        if bytes.has("ftypavif", at: 4) || bytes.has("ftypavis", at: 4) { return .avif }
        if bytes.has([0, 0, 1, 0], at: 0) { return .ico }
        if bytes.has("BM", at: 0) { return .bmp }
        return nil
    }
}

extension Set<MediaRange> {
    /// The media types of images: the types that AFNetworking accepts, and the types of WebP and AVIF.
    public static var images: Set<MediaRange> {
        [
            "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp",
            "image/x-bmp", "image/x-xbitmap", "image/x-win-bitmap", "image/webp", "image/avif",
        ]
    }
}
