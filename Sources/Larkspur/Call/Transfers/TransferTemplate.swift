import HTTPSyntax

/// The description of a call's transfer, from which each attempt is created.
///
/// The facts are stored behind a reference. Most calls share the facts of their kind, so copies cost little.
@dynamicMemberLookup
struct TransferTemplate: Sendable {
    struct Facts: Sendable {
        var content: TransferContent
        /// The closure that creates the stream of a streamed upload. It is called each time that the content is sent.
        var makeBodyStream: (@Sendable () -> InputStream?)?
        var isStreamed = false
        /// The length of the stream in bytes, if it is known.
        var bodyLength: Int64?
        /// The stream that delivers the content; nil if it is collected.
        var stream: ResponseStream?
        /// The automatic resumption of a download; nil if it does not resume.
        var resumption: DownloadResumption?
        /// The interceptor of a resumable upload; nil for other calls.
        var resumer: UploadResumer?
        /// The content of the next attempt of a resumable upload.
        var part: UploadPart?
        /// The producer of the content; nil for other content.
        var producer: BodyProducer?
        /// The section of a file that is sent as a stream.
        var section: FileSection?
        /// The options of the call, with the limits of the session manager.
        var options = StoredOptions.none
        /// The resume data that the next attempt continues.
        var resumeData: Data?
        /// The names of the fields, in lower case, that a redirect to another origin does not get.
        var withheldFields: Set<TextKey> = []
    }

    private final class Reference: Sendable {
        let facts: Facts

        init(_ facts: Facts) { self.facts = facts }
    }

    private var reference: Reference

    init(_ content: TransferContent) { reference = Reference(Facts(content: content)) }

    subscript<Value>(dynamicMember fact: WritableKeyPath<Facts, Value>) -> Value {
        get { reference.facts[keyPath: fact] }
        set {
            var facts = reference.facts
            facts[keyPath: fact] = newValue
            reference = Reference(facts)
        }
    }

    /// A request whose response is collected in memory.
    static let data = Self(.data)

    /// A request whose response is written to a file.
    static let download = Self(.download)

    /// A request whose `httpBody` is sent as an upload.
    static let uploadOfBody = Self(.uploadOfBody)

    static func upload(file: URL) -> Self { Self(.uploadOfFile(file.absoluteURL)) }

    /// - Parameters:
    ///   - makeStream: Creates the stream, each time that the content is sent; nil for the stream of the request.
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
        case .produced(let producer, let range):
            template = .upload(nil, length: Int64(range.count))
            template.producer = producer
        }
        template.part = part
        template.options = self.options
        template.withheldFields = self.withheldFields
        return template
    }

    /// Returns the template of an attempt that sends the coded content of the call.
    func sending(_ producer: BodyProducer) -> Self {
        var template = self
        template.content = .uploadOfStream
        template.isStreamed = true
        template.bodyLength = producer.length
        template.makeBodyStream = nil
        template.section = nil
        template.producer = producer
        return template
    }

    /// Returns the content that is not in a request; nil if the request has the content, or there is none.
    func separateContent(of request: URLRequest) -> SeparateContent? {
        if self.resumer != nil { return SeparateContent(source: .inaccessible) }
        if let producer = self.producer { return SeparateContent(source: .produced(producer)) }
        if let section = self.section { return SeparateContent(source: .section(section)) }
        if let makeStream = self.makeBodyStream {
            return SeparateContent(source: .stream(length: self.bodyLength, makeStream))
        }
        if case .uploadOfFile(let file) = self.content { return SeparateContent(source: .file(file)) }
        return self.isStreamed || request.httpBodyStream != nil ? SeparateContent(source: .inaccessible) : nil
    }

    /// The request in the resume data; nil if there is none.
    var requestOfResumeData: URLRequest? { self.resumeData.flatMap(Platform.request(ofResumeData:)) }

    /// Returns the content of a transfer.
    /// - Parameter request: The request that sends the content.
    func transferContent(of request: URLRequest) -> TransferContent {
        guard let producer = self.producer else { return self.content }
        return .uploadOfProduced(production(by: producer, for: request))
    }

    /// Returns the content that a producer makes for a request.
    func production(by producer: BodyProducer, for request: URLRequest) -> ProducedBody {
        var range: Range<Int64>?
        if case .produced(_, let part) = self.part?.content { range = part }
        return producer.content(of: request, part: range, isTwoWay: self.stream != nil)
    }

    /// Returns whether the content of a request comes from a file or a stream.
    func sendsLargeBody(of request: URLRequest) -> Bool {
        switch self.content {
        case .uploadOfFile, .uploadOfStream, .uploadOfProduced: true
        case .data, .download, .uploadOfBody, .uploadOfData: request.httpBodyStream != nil || self.producer != nil
        }
    }

    /// Returns whether the content of a request can be sent again.
    func canRepeatBody(of request: URLRequest) -> Bool {
        if let producer = self.producer { return producer.canBegin }
        return self.makeBodyStream != nil || self.section != nil || (!self.isStreamed && request.httpBodyStream == nil)
    }
}
