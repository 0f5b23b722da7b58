/// The kind of transfer of a call, from which each of its attempts is made.
struct TransferTemplate: Sendable {
    let content: TransferContent
    /// Creates the stream of a streamed upload. Called each time that the content is sent.
    var makeBodyStream: (@Sendable () -> InputStream?)?
    var isStreamed = false
    /// The length of the stream in bytes, if it is known.
    var bodyLength: Int64?
    /// The stream that delivers the content; nil if it is collected.
    var stream: ContentStream?
    /// The automatic resumption of a download; nil if it does not resume.
    var resumption: DownloadResumption?
    /// The interceptor of a resumable upload; nil for other calls.
    var resumer: UploadResumer?
    /// The content of the next attempt of a resumable upload.
    var part: UploadPart?
    /// The section of a file that is sent as a stream.
    var section: FileSection?
    /// The limits that the transport enforces.
    var limits = Timeouts()
    /// The resume data that the next attempt continues.
    var resumeData: Data?
    /// The names of the fields, in lower case, that a redirect to another origin does not get.
    var withheldFields: Set<String> = []

    init(_ content: TransferContent) { self.content = content }

    var kind: TransferKind { content.kind }

    /// A request whose response is collected in memory.
    static let data = Self(.data)

    /// A request whose response is written to a file.
    static let download = Self(.download)

    /// A request whose `httpBody` is sent as an upload.
    static let uploadOfBody = Self(.uploadOfBody)

    static func upload(file: URL) -> Self { Self(.uploadOfFile(file.absoluteURL)) }

    /// - Parameters:
    ///   - makeStream: Creates the stream, each time that the content is sent; nil for that of the request.
    ///   - length: The length of the stream in bytes, if it is known.
    static func upload(_ makeStream: (@Sendable () -> InputStream?)?, length: Int64?) -> Self {
        var template = Self(.uploadOfStream)
        template.makeBodyStream = makeStream
        template.isStreamed = true
        template.bodyLength = length
        return template
    }

    /// Returns the template of an attempt that sends a part of a resumable upload.
    func sending(_ part: UploadPart) -> Self {
        var template: Self
        switch part.content {
        case .none: template = .data
        case .data(let data): template = Self(.uploadOfData(data))
        case .file(let section):
            template = .upload(nil, length: section.count)
            template.section = section
        }
        template.part = part
        template.limits = limits
        template.withheldFields = withheldFields
        return template
    }

    /// The request in the resume data; nil if there is none.
    var requestOfResumeData: URLRequest? { resumeData.flatMap(Platform.request(ofResumeData:)) }

    /// Whether the content of a request can be sent again.
    func canReplayContent(of request: URLRequest) -> Bool {
        makeBodyStream != nil || (!isStreamed && request.httpBodyStream == nil)
    }
}
