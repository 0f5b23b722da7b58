#if canImport(FoundationNetworking)
internal import CLibcurl
internal import HTTPSyntax
import Synchronization

/// An `HTTPURLResponse` that takes its fields unchanged.
///
/// The superclass spells every name anew, and reads the Content-Type with scanners. For a small response that costs
/// more than all other work of the engine. This class writes names that are already canonical into the superclass's
/// storage, and computes the derived values on first use. An environment variable switches it off, see Docs/Linux.md.
final class EngineResponse: HTTPURLResponse, @unchecked Sendable {
    // Safe: nothing changes after initialisation.
    private let fields: [String: String]
    private let ownURL: URL?

    /// The URL that the superclass gets. It would look for a file name in any other, and this one has none.
    private static let constantURL = URL(string: "?") ?? URL(fileURLWithPath: "/")

    /// Creates a response; nil if the superclass has an unexpected layout. Then an ordinary response has to be made.
    init?(url: URL, statusCode: Int, httpVersion: String, fields: [String: String]) {
        guard let offset = Self.fieldsOffset else { return nil }
        self.fields = fields
        ownURL = url
        super.init(url: Self.constantURL, statusCode: statusCode, httpVersion: httpVersion, headerFields: nil)
        Unmanaged.passUnretained(self).toOpaque().advanced(by: offset)
            .assumingMemoryBound(to: [String: String].self).pointee = fields
    }

    /// Creates a response with these fields, if necessary an ordinary one; nil only if Foundation refuses to make one,
    /// which no version does.
    static func make(url: URL, status: Int, version: String, fields: [String: String]) -> HTTPURLResponse? {
        EngineResponse(url: url, statusCode: status, httpVersion: version, fields: fields)
            ?? HTTPURLResponse(url: url, statusCode: status, httpVersion: version, headerFields: fields)
    }

    required init?(coder: NSCoder) {
        fields = [:]
        ownURL = nil
        super.init(coder: coder)
    }

    // MARK: Values that the superclass derives

    override var url: URL? { ownURL }
    override var expectedContentLength: Int64 { fields["Content-Length"].flatMap { Int64($0) } ?? -1 }
    override var mimeType: String? { Self.contentType(fields["Content-Type"]).mimeType }
    override var textEncodingName: String? { Self.contentType(fields["Content-Type"]).textEncodingName }
    /// The suggested name. Whatever the server sends, it is the name of a file in a folder, see `SuggestedFilename`. It
    /// is `Unknown` if there is none, as in Foundation.
    override var suggestedFilename: String? {
        SuggestedFilename(disposition: fields["Content-Disposition"], url: url)?.text ?? "Unknown"
    }

    /// The class that archives name, so that programs without this class can read them.
    override var classForCoder: AnyClass { HTTPURLResponse.self }
    override var classForKeyedArchiver: AnyClass? { HTTPURLResponse.self }

    /// The parts of a Content-Type field as Foundation reads them.
    struct ContentType {
        var mimeType: String?
        var textEncodingName: String?
    }

    /// Foundation's results for recent values. Servers send few different ones.
    private static let contentTypes = Mutex<[String: ContentType]>([:])

    /// The length of the longest cached value, in bytes. Without this limit, a server could have the process store 64
    /// values of the length of a header section.
    private static let longestRemembered = 256

    /// Reads a Content-Type field; nil if there is none.
    static func contentType(_ field: String?) -> ContentType {
        guard let field else { return ContentType() }
        let isRemembered = field.utf8.count <= longestRemembered
        if isRemembered, let known = contentTypes.withLock({ $0[field] }) { return known }
        let ordinary = ordinary(field)
        let type = ContentType(mimeType: ordinary?.mimeType, textEncodingName: ordinary?.textEncodingName)
        guard isRemembered else { return type }
        contentTypes.withLock { types in
            if types.count >= 64 { types.removeAll() }
            types[field] = type
        }
        return type
    }

    /// Makes Foundation's response with a Content-Type field, so that Foundation parses the field.
    private static func ordinary(_ field: String) -> HTTPURLResponse? {
        // The time of Foundation's scanners grows with the square of the length. Of a longer value, the rest is
        // ignored.
        let value = field.utf8.count > 4096 ? String(decoding: field.utf8.prefix(4096), as: UTF8.self) : field
        return HTTPURLResponse(
            url: constantURL,
            statusCode: 200,
            httpVersion: nil,
            headerFields: ["Content-Type": value]
        )
    }

    // MARK: The superclass's storage

    /// Whether the superclass has the expected layout, and the environment does not switch the class off.
    static var isAvailable: Bool { fieldsOffset != nil }

    /// Whether the environment has the variable that switches this class off.
    static func isSwitchedOff(by environment: [String: String]) -> Bool {
        environment["LARKSPUR_ORDINARY_RESPONSES"] == "1"
    }

    /// The offset at which a response stores its fields. It is found with a sample whose fields reflection shows. Nil
    /// if they are not found, if a write does not have the expected effect, or if the environment switches the class
    /// off.
    private static let fieldsOffset: Int? = {
        guard !isSwitchedOff(by: ProcessInfo.processInfo.environment), let url = URL(string: "http://localhost/"),
            let sample = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["X-A": "b"]),
            let stored = Mirror(reflecting: sample).children.first(where: { $0.label == "_allHeaderFields" })?.value,
            let fields = stored as? [String: String], type(of: stored) == [String: String].self,
            MemoryLayout<[String: String]>.size == MemoryLayout<UInt>.size
        else { return nil }
        let pattern = unsafeBitCast(fields, to: UInt.self)
        let object = Unmanaged.passUnretained(sample).toOpaque()
        let offsets = stride(from: 0, to: libcurl_allocation_size(object), by: MemoryLayout<UInt>.stride)
        let matches = offsets.filter { object.load(fromByteOffset: $0, as: UInt.self) == pattern }
        guard matches.count == 1, let offset = matches.first else { return nil }
        object.advanced(by: offset).assumingMemoryBound(to: [String: String].self).pointee = ["X-C": "d"]
        return sample.value(forHTTPHeaderField: "X-C") == "d" && sample.allHeaderFields.count == 1 ? offset : nil
    }()
}
#endif
