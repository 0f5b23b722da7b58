#if canImport(FoundationNetworking)
internal import CLibcurl
internal import HTTPSyntax
import Synchronization

/// An `HTTPURLResponse` whose fields are taken unchanged.
///
/// The superclass respells every name and reads the Content-Type with scanners when it is made. That costs more than
/// all other work of the engine for a small response. Here its storage is filled with names that are canonical already,
/// and the derived values are computed on first use. The environment can switch this off, see Docs/Linux.md.
final class EngineResponse: HTTPURLResponse, @unchecked Sendable {
    // Safe: nothing changes after initialisation.
    private let fields: [String: String]
    private let ownURL: URL?

    /// The URL for the superclass, which would take the file name out of each. This one has none to be looked for.
    private static let constantURL = URL(string: "?") ?? URL(fileURLWithPath: "/")

    /// Creates a response; nil if the superclass has an unexpected layout, in which case an ordinary response has to
    /// serve.
    init?(url: URL, statusCode: Int, httpVersion: String, fields: [String: String]) {
        guard let offset = Self.fieldsOffset else { return nil }
        self.fields = fields
        ownURL = url
        super.init(url: Self.constantURL, statusCode: statusCode, httpVersion: httpVersion, headerFields: nil)
        Unmanaged.passUnretained(self).toOpaque().advanced(by: offset)
            .assumingMemoryBound(to: [String: String].self).pointee = fields
    }

    /// Creates a response with these fields, an ordinary one if need be; nil only if Foundation refuses to make one,
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

    // MARK: Values of the superclass

    override var url: URL? { ownURL }
    override var expectedContentLength: Int64 { fields["Content-Length"].flatMap { Int64($0) } ?? -1 }
    override var mimeType: String? { Self.contentType(fields["Content-Type"]).mimeType }
    override var textEncodingName: String? { Self.contentType(fields["Content-Type"]).textEncodingName }
    /// The suggested name, which is always the name of a file in a folder, whatever the server sends: see
    /// `SuggestedFilename`. Without one it is `Unknown`, as in Foundation.
    override var suggestedFilename: String? {
        SuggestedFilename(disposition: fields["Content-Disposition"], url: url)?.text ?? "Unknown"
    }

    /// The class for archives, which must be readable by programs without this class.
    override var classForCoder: AnyClass { HTTPURLResponse.self }
    override var classForKeyedArchiver: AnyClass? { HTTPURLResponse.self }

    /// The parts of a Content-Type field as Foundation reads them.
    struct ContentType {
        var mimeType: String?
        var textEncodingName: String?
    }

    /// Foundation's results for the most recent values; servers send few different ones.
    private static let contentTypes = Mutex<[String: ContentType]>([:])

    /// The length of the longest cached value, in bytes: otherwise a server could make the process store 64 times the
    /// length of a head.
    private static let longestRemembered = 256

    /// Reads a Content-Type field; nil for none.
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

    /// Foundation's response with a Content-Type field, which it parses.
    private static func ordinary(_ field: String) -> HTTPURLResponse? {
        // The time of Foundation's scanners grows with the square of a value's length; the rest of a longer value is
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

    /// Whether the environment has the variable with which a program does without this class.
    static func isSwitchedOff(by environment: [String: String]) -> Bool {
        environment["LARKSPUR_ORDINARY_RESPONSES"] == "1"
    }

    /// The offset at which a response stores its fields. It is found by a search for those of a sample whose fields
    /// reflection shows; nil if they are not found, if a write does not have the expected effect, or if the environment
    /// switches the class off.
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
