/// The protocol of an upload that continues from the server's offset after a failure, and its settings.
///
///     manager.upload("files", from: .file(image), resumable: .tus(metadata: ["filename": "disk.iso"]))
///     manager.upload("files", from: .file(image), resumable: .ietf)
///
/// The first request creates an upload resource on the server. Further requests send the content to it. After a failure
/// that is likely to pass, the server says how much it has, and the rest is sent. Delays and limits are those of
/// ``retry``. The last response is that of the task. The server has to support the protocol.
///
/// The content is data or a file, because a stream cannot be read again from the middle: with a stream the task ends
/// with the error `unsupported`. A file that is changed between two requests, or during one, is the error
/// `bodyUnreadable`. A server that says something impossible about the upload is the error `resumptionFailed`.
///
/// If the upload resource is on another origin than the request, or a redirect leads to one, that origin gets only the
/// fields that hold no secret.
/// A resource without TLS is refused with the error `insecureRequest` if the request is sent with TLS.
public struct ResumableUpload: Sendable {
    /// The protocol.
    enum Kind: Sendable, Hashable {
        case tus
        case ietf(interopVersion: Int)
    }

    let kind: Kind
    /// Names and values that the server gets with the creation of the upload (`Upload-Metadata`), for tus only. A name
    /// with spaces, commas or characters outside of ASCII is the error `invalidHeaderField`. Default: none.
    public var metadata: [String: String] = [:]
    /// The rules for attempts after failures.
    ///
    /// Attempts are counted in succession: content that the server confirms begins the count, and the delays, anew. Its
    /// `methods` have no effect. The status codes 409 and 423, by which a server says that it has another offset or is
    /// still busy with the lost connection, are always followed by another attempt. Default: 5 attempts, delays of up
    /// to 0.5 seconds that double up to 20 seconds, delays of up to 5 minutes that the server says
    /// (``RetryPolicy/maximumServerDelay``), no deadline and no budget.
    public var retry = RetryPolicy(maximumAttempts: 5, deadline: nil, budget: nil)
    /// The maximum number of bytes of content in one request; nil for no limit. A lower limit of the server
    /// (`Upload-Limit`) applies, too. Default: nil.
    public var maximumPartSize: Int64?
    /// Whether the server is told to delete the content that it has if the task is cancelled. The DELETE request is a
    /// task of its own. Default: false, so that the upload can be continued later.
    public var deletesWhenCancelled = false
    /// The upload to continue, which another task or process has begun with the same content. If the server no longer
    /// has it, the upload begins anew. Default: nil.
    public var resumption: UploadResumption?
    /// Called on the manager's `completionQueue` when the server has created the upload resource. Store the resumption
    /// for another process: it is enough to continue, because the server says the present offset. Default: nil.
    public var didCreate: (@Sendable (UploadResumption) -> Void)?

    /// The protocol tus 1.0.0 (https://tus.io), with the extensions Creation and Termination.
    public static let tus = Self(kind: .tus)

    /// Resumable Uploads for HTTP, the draft of the IETF: `draft-ietf-httpbis-resumable-upload-11` and its editors'
    /// copy of July 2026, interop version 8.
    public static let ietf = Self(kind: .ietf(interopVersion: 8))

    /// Returns tus 1.0.0 with metadata.
    /// - Parameter metadata: Names and values that the server gets with the creation of the upload.
    public static func tus(metadata: [String: String]) -> Self {
        var upload = Self.tus
        upload.metadata = metadata
        return upload
    }

    /// Returns the draft of the IETF for servers of another version.
    /// - Parameter interopVersion: The value of `Upload-Draft-Interop-Version`: 6 for servers of
    ///   `draft-ietf-httpbis-resumable-upload-05`, 8 for -09 and later.
    public static func ietf(interopVersion: Int) -> Self { Self(kind: .ietf(interopVersion: interopVersion)) }

    private init(kind: Kind) { self.kind = kind }

    /// Returns the same settings for the continuation of an upload.
    /// - Parameter resumption: The upload, from ``UploadTask/resumption`` or ``didCreate``; nil to begin a new one.
    public func continuing(_ resumption: UploadResumption?) -> Self {
        var upload = self
        upload.resumption = resumption
        return upload
    }
}

/// An upload that a server has a part of, so that another task or process can continue it.
///
/// It holds no header fields and no credentials. Some servers put a secret into the URL of an upload, so that whoever
/// has it may write to the upload: store it accordingly.
public struct UploadResumption: Sendable, Hashable, Codable {
    /// The URL of the upload resource.
    public let url: URL
    /// The number of bytes of the content.
    public let length: Int64
    /// The number of bytes that the server has confirmed. It may have more by now.
    public let offset: Int64
    /// The time of the last change of the file, which must not have changed since; nil for data.
    let modification: String?

    init(url: URL, length: Int64, offset: Int64, modification: String?) {
        self.url = url
        self.length = length
        self.offset = offset
        self.modification = modification
    }

    /// Decodes a resumption.
    /// - Throws: A `DecodingError`, also for numbers that no upload can have.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        url = try container.decode(URL.self, forKey: .url)
        length = try container.decode(Int64.self, forKey: .length)
        offset = try container.decode(Int64.self, forKey: .offset)
        modification = try container.decodeIfPresent(String.self, forKey: .modification)
        guard offset >= 0, offset <= length else {
            throw DecodingError.dataCorruptedError(
                forKey: .offset,
                in: container,
                debugDescription: "The offset is not within the length."
            )
        }
    }
}

extension UploadResumption: CustomStringConvertible, CustomReflectable {
    /// The URL without credentials and query, and the numbers. It is safe to log.
    public var description: String { "\(offset) of \(length) bytes at \(LarkspurError.redacted(url))" }

    /// A mirror that holds only values that are safe to log.
    public var customMirror: Mirror { Mirror(self, children: ["upload": description], displayStyle: .struct) }
}
