import HTTPSyntax

/// The protocol of an upload that continues from the server's offset after a failure, and its settings.
///
///     manager.upload("files", from: .file(image), resumable: .tus(metadata: ["filename": "disk.iso"]))
///     manager.upload("files", from: .file(image), resumable: .ietf)
///
/// The first request creates an upload resource on the server. Further requests send the content to it. After a
/// temporary failure, the client requests the number of bytes that the server has, and sends the rest. ``retryPolicy``
/// sets the delays and limits. The response of the task is the response to the last request. The server must support
/// the protocol.
///
/// The content is data or a file. A stream cannot be read again from the middle, so with a stream the task fails with
/// the error `unsupported`. If a file is changed between two requests, or during a request, the error is
/// `bodyUnreadable`. If the server's values for the upload are impossible, the error is `resumptionFailed`.
///
/// If the upload resource is on another origin than the request, or a redirect leads to another origin, that origin
/// gets only the fields that hold no secret. If the request is sent with TLS and the resource has a URL without TLS,
/// the error is `insecureRequest`.
public struct ResumableUpload: Sendable {
    /// The protocol.
    enum Kind: Sendable, Hashable {
        case tus
        case ietf(interopVersion: Int)
    }

    let kind: Kind
    /// The names and values that the request for the creation sends (`Upload-Metadata`), for tus only. If a name has
    /// spaces, commas or characters outside of ASCII, the error is `invalidHeaderField`. Default: none.
    package var metadata: [String: String] = [:]
    /// The rules for attempts after failures.
    ///
    /// Only consecutive failures count: when the server confirms further content, the count and the delays start again.
    /// The property `methods` has no effect. The status codes 409 and 423 always count as temporary failures. With 409,
    /// the server reports that it has another offset; with 423, that it is still busy with the lost connection.
    /// Default: 5 attempts; delays of up to 0.5 seconds that double up to 20 seconds; delays of up to 5 minutes that
    /// the server requests (``RetryPolicy/maximumServerDelay``); no deadline and no budget.
    public var retryPolicy = RetryPolicy(maximumAttempts: 5, deadline: nil, budget: nil)
    /// The maximum number of bytes of content in one request; nil for no limit. The limits of the server
    /// (`Upload-Limit`) apply, too, and the server's minimum takes precedence. Default: nil.
    public var maximumPartSize: Int64?
    /// Whether a cancellation of the task deletes the content that the server has. The DELETE request is a separate
    /// task. Default: false, so that the upload can be continued later.
    public var deletesWhenCancelled = false
    /// The upload to continue, which another task or process has begun with the same content. If the server no longer
    /// has this upload, a new upload begins. Default: nil.
    public var resumption: UploadResumption?
    /// A closure that is called on the manager's `completionQueue` when the server has created the upload resource.
    /// Store its parameter to continue the upload in another process. One call is enough, because the server reports
    /// the current offset later. Default: nil.
    public var didCreate: (@Sendable (UploadResumption) -> Void)?

    /// The protocol tus 1.0.0 (https://tus.io), with the extensions Creation and Termination.
    public static let tus = Self(kind: .tus)

    /// Resumable Uploads for HTTP, the draft of the IETF: `draft-ietf-httpbis-resumable-upload-11` and its editors'
    /// copy of July 2026, interop version 8.
    public static let ietf = Self(kind: .ietf(interopVersion: 8))

    /// Returns tus 1.0.0 with metadata.
    /// - Parameter metadata: The names and values that the request for the creation sends.
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
    /// - Parameter resumption: The upload, from ``UploadTask/resumption`` or ``didCreate``; nil to begin a new upload.
    public func continuing(_ resumption: UploadResumption?) -> Self {
        var upload = self
        upload.resumption = resumption
        return upload
    }
}

/// The state of an unfinished upload, with which another task or process can continue it.
///
/// It contains no header fields and no credentials. Some servers put a secret into the URL of an upload: anyone with
/// the URL can write to the upload. Store the value accordingly.
public struct UploadResumption: Sendable, Hashable, Codable {
    /// The URL of the upload resource.
    public let url: URL
    /// The number of bytes of the content.
    public let length: Int64
    /// The number of bytes that the server has confirmed. The server may have more bytes than that.
    public let offset: Int64
    /// The time of the last change of the file; nil for data. The file must not change until the upload continues.
    let modification: String?

    init(url: URL, length: Int64, offset: Int64, modification: String?) {
        self.url = url
        self.length = length
        self.offset = offset
        self.modification = modification
    }

    /// Decodes a resumption.
    /// - Throws: A `DecodingError`, also if the offset is negative or greater than the length.
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
    /// The numbers of bytes, and the URL without credentials, query and fragment. It is safe to log.
    public var description: String { "\(offset) of \(length) bytes at \(LarkspurError.redacted(url))" }

    /// A mirror that holds only values that are safe to log.
    public var customMirror: Mirror { Mirror(self, children: ["upload": description], displayStyle: .struct) }
}
