import HTTPSyntax

/// The media types of files.
///
/// The table is written by hand, because Foundation on Linux has no types of files, and not every system has a file of
/// media types.
enum MIMEType {
    /// The media type of a file of unknown type.
    static let unknown = "application/octet-stream"

    /// Returns the media type of files with an extension; ``unknown`` if the table does not contain the extension.
    /// - Parameter fileExtension: The extension without its dot, in upper or lower case.
    static func ofFiles(withExtension fileExtension: String) -> String {
        table[fileExtension.inLowercase] ?? unknown
    }

    /// Returns the media type of a file by the extension of its name.
    static func ofFile(named name: String) -> String {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return unknown }
        return ofFiles(withExtension: String(name[name.utf8.index(after: dot)...]))
    }
}

extension MIMEType {
    /// The media types of file extensions. If IANA has registered no type for an extension, the table has the type that
    /// servers and Apple's systems use.
    static let table: [TextKey: String] = Dictionary(
        families.flatMap { family, types in types.map { (TextKey($0), "\(family)/\($1)") } },
        uniquingKeysWith: { first, _ in first }
    )

    private static let families: [(String, [(String, String)])] = [
        ("application", documents + archives + programs + certificates),
        ("application", [("ttml", "ttml+xml"), ("m3u8", "vnd.apple.mpegurl"), ("mpd", "dash+xml"), ("ogx", "ogg")]),
        ("audio", sounds),
        ("font", [("otf", "otf"), ("ttc", "collection"), ("ttf", "ttf"), ("woff", "woff"), ("woff2", "woff2")]),
        ("image", images),
        ("message", [("eml", "rfc822"), ("mht", "rfc822"), ("mhtml", "rfc822")]),
        ("model", [("gltf", "gltf+json"), ("glb", "gltf-binary"), ("obj", "obj"), ("stl", "stl")]),
        ("model", [("usdz", "vnd.usdz+zip"), ("wrl", "vrml")]),
        ("text", texts),
        ("video", films),
    ]

    private static let documents = [
        ("ai", "postscript"), ("azw", "vnd.amazon.ebook"), ("doc", "msword"), ("dot", "msword"),
        ("docm", "vnd.ms-word.document.macroEnabled.12"),
        ("docx", "vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("dotx", "vnd.openxmlformats-officedocument.wordprocessingml.template"),
        ("eps", "postscript"), ("epub", "epub+zip"), ("key", "vnd.apple.keynote"), ("mobi", "x-mobipocket-ebook"),
        ("numbers", "vnd.apple.numbers"), ("odg", "vnd.oasis.opendocument.graphics"),
        ("odp", "vnd.oasis.opendocument.presentation"), ("ods", "vnd.oasis.opendocument.spreadsheet"),
        ("odt", "vnd.oasis.opendocument.text"), ("pages", "vnd.apple.pages"), ("pdf", "pdf"),
        ("pps", "vnd.ms-powerpoint"),
        ("ppt", "vnd.ms-powerpoint"), ("ps", "postscript"),
        ("ppsx", "vnd.openxmlformats-officedocument.presentationml.slideshow"),
        ("pptx", "vnd.openxmlformats-officedocument.presentationml.presentation"), ("rtf", "rtf"),
        ("vsd", "vnd.visio"), ("xls", "vnd.ms-excel"), ("xlsm", "vnd.ms-excel.sheet.macroEnabled.12"),
        ("xlsx", "vnd.openxmlformats-officedocument.spreadsheetml.sheet"), ("xps", "vnd.ms-xpsdocument"),
    ]

    private static let archives = [
        ("7z", "x-7z-compressed"), ("apk", "vnd.android.package-archive"), ("br", "x-brotli"), ("bz2", "x-bzip2"),
        ("cab", "vnd.ms-cab-compressed"), ("cpio", "x-cpio"), ("deb", "vnd.debian.binary-package"),
        ("dmg", "x-apple-diskimage"), ("gz", "gzip"), ("ipa", "octet-stream"), ("iso", "x-iso9660-image"),
        ("jar", "java-archive"), ("lz4", "x-lz4"), ("rar", "vnd.rar"), ("rpm", "x-rpm"), ("tar", "x-tar"),
        ("tgz", "gzip"),
        ("war", "java-archive"), ("xz", "x-xz"), ("zip", "zip"), ("zst", "zstd"),
    ]

    private static let programs = [
        ("atom", "atom+xml"), ("bin", "octet-stream"), ("class", "java-vm"), ("cbor", "cbor"), ("dll", "octet-stream"),
        ("dtd", "xml-dtd"), ("exe", "vnd.microsoft.portable-executable"), ("geojson", "geo+json"), ("gpx", "gpx+xml"),
        ("graphql", "graphql"), ("json", "json"), ("jsonld", "ld+json"), ("kml", "vnd.google-earth.kml+xml"),
        ("kmz", "vnd.google-earth.kmz"), ("map", "json"), ("msi", "x-msi"), ("parquet", "vnd.apache.parquet"),
        ("php", "x-httpd-php"), ("pkg", "octet-stream"), ("pkpass", "vnd.apple.pkpass"), ("plist", "x-plist"),
        ("rdf", "rdf+xml"), ("rss", "rss+xml"), ("sh", "x-sh"), ("so", "octet-stream"), ("sql", "sql"),
        ("sqlite", "vnd.sqlite3"), ("swf", "x-shockwave-flash"), ("tex", "x-tex"), ("toml", "toml"),
        ("torrent", "x-bittorrent"),
        ("wasm", "wasm"), ("webmanifest", "manifest+json"), ("xhtml", "xhtml+xml"), ("xml", "xml"), ("xsl", "xslt+xml"),
        ("xslt", "xslt+xml"), ("xul", "vnd.mozilla.xul+xml"), ("yaml", "yaml"), ("yml", "yaml"),
    ]

    private static let certificates = [
        ("asc", "pgp-signature"), ("cer", "x-x509-ca-cert"), ("crl", "pkix-crl"), ("crt", "x-x509-ca-cert"),
        ("csr", "pkcs10"), ("der", "x-x509-ca-cert"), ("gpg", "pgp-encrypted"), ("p10", "pkcs10"), ("p12", "x-pkcs12"),
        ("p7b", "x-pkcs7-certificates"), ("p7c", "pkcs7-mime"), ("p7m", "pkcs7-mime"), ("p7s", "pkcs7-signature"),
        ("p8", "pkcs8"), ("pem", "x-pem-file"), ("pfx", "x-pkcs12"), ("sig", "pgp-signature"),
    ]

    private static let sounds = [
        ("aac", "aac"), ("aif", "aiff"), ("aiff", "aiff"), ("amr", "amr"), ("au", "basic"), ("caf", "x-caf"),
        ("flac", "flac"), ("m3u", "x-mpegurl"), ("m4a", "mp4"), ("m4b", "mp4"), ("mid", "midi"), ("midi", "midi"),
        ("mka", "x-matroska"), ("mp3", "mpeg"), ("oga", "ogg"), ("ogg", "ogg"), ("opus", "ogg"),
        ("ra", "x-pn-realaudio"),
        ("snd", "basic"), ("wav", "wav"), ("weba", "webm"), ("wma", "x-ms-wma"),
    ]

    private static let images = [
        ("apng", "apng"), ("avif", "avif"), ("bmp", "bmp"), ("cr2", "x-canon-cr2"), ("dng", "x-adobe-dng"),
        ("gif", "gif"), ("heic", "heic"), ("heif", "heif"), ("ico", "vnd.microsoft.icon"), ("jfif", "jpeg"),
        ("jp2", "jp2"), ("jpe", "jpeg"), ("jpeg", "jpeg"), ("jpg", "jpeg"), ("jxl", "jxl"), ("nef", "x-nikon-nef"),
        ("pbm", "x-portable-bitmap"), ("pgm", "x-portable-graymap"), ("png", "png"), ("ppm", "x-portable-pixmap"),
        ("psd", "vnd.adobe.photoshop"), ("svg", "svg+xml"), ("svgz", "svg+xml"), ("tga", "x-tga"), ("tif", "tiff"),
        ("tiff", "tiff"), ("webp", "webp"), ("xbm", "x-xbitmap"),
    ]

    private static let texts = [
        ("c", "x-c"), ("cpp", "x-c++"), ("css", "css"), ("csv", "csv"), ("h", "x-c"), ("htm", "html"), ("html", "html"),
        ("ics", "calendar"), ("java", "x-java-source"), ("js", "javascript"), ("log", "plain"), ("md", "markdown"),
        ("mjs", "javascript"), ("py", "x-python"), ("rb", "x-ruby"), ("swift", "x-swift"), ("text", "plain"),
        ("tsv", "tab-separated-values"), ("txt", "plain"), ("vcf", "vcard"), ("vtt", "vtt"),
    ]

    private static let films = [
        ("3g2", "3gpp2"), ("3gp", "3gpp"), ("avi", "x-msvideo"), ("flv", "x-flv"), ("m2ts", "mp2t"), ("m4v", "x-m4v"),
        ("mkv", "x-matroska"), ("mov", "quicktime"), ("mp4", "mp4"), ("mpeg", "mpeg"), ("mpg", "mpeg"),
        ("ogv", "ogg"), ("qt", "quicktime"), ("ts", "mp2t"), ("webm", "webm"), ("wmv", "x-ms-wmv"),
    ]
}
