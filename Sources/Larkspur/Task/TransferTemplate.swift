/// The kind of transfer of a call, from which each of its attempts is made.
struct TransferTemplate: Sendable {
    let kind: TransferKind
    /// Creates the `URLSessionTask` of an attempt.
    let make: @Sendable (URLSession, URLRequest) -> URLSessionTask
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

    init(kind: TransferKind, make: @escaping @Sendable (URLSession, URLRequest) -> URLSessionTask) {
        self.kind = kind
        self.make = make
    }

    /// A request whose response is collected in memory.
    static let data = Self(kind: .data) { $0.dataTask(with: $1) }

    /// A request whose response is written to a file.
    static let download = Self(kind: .download) { $0.downloadTask(with: $1) }

    /// A request whose `httpBody` is sent as an upload.
    static let uploadOfBody = Self(kind: .upload) { session, request in
        var request = request
        let content = request.httpBody ?? Data()
        request.httpBody = nil
        return session.uploadTask(with: request, from: content)
    }

    static func upload(file: URL) -> Self {
        let file = file.absoluteURL
        return Self(kind: .upload) { $0.uploadTask(with: $1, fromFile: file) }
    }

    /// - Parameters:
    ///   - makeStream: Creates the stream, each time that the content is sent; nil for that of the request.
    ///   - length: The length of the stream in bytes, if it is known.
    static func upload(_ makeStream: (@Sendable () -> InputStream?)?, length: Int64?) -> Self {
        var template = Self(kind: .upload) { $0.uploadTask(withStreamedRequest: $1) }
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
        case .data(let data):
            template = Self(kind: .upload) { $0.uploadTask(with: $1, from: data) }
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
