import HTTPSyntax
import LarkspurCredentials

/// The body of a request.
enum ComposedBody: Sendable {
    case none
    case data(Data)
    /// A file. It is read while it is sent.
    case file(URL, length: Int64)
    /// A multipart form. Its files are read while they are sent.
    case form(MultipartFormData)
    /// The bytes of standard input. Their number is unknown.
    case stream(URL)

    /// The length that the request announces. The outer optional is nil if there is no body. The inner optional is nil
    /// if the length is unknown.
    var length: Int64?? {
        switch self {
        case .none: nil
        case .data(let data): .some(Int64(data.count))
        case .file(_, let length): .some(length)
        case .form(let form): .some(form.contentLength)
        case .stream: .some(nil)
        }
    }

    /// Whether the body can be sent again.
    var canRepeat: Bool { if case .stream = self { false } else { true } }

    /// Creates a stream of the body; nil if the body is in memory.
    func makeStream() -> InputStream? {
        switch self {
        case .none, .data: nil
        case .file(let url, _), .stream(let url): InputStream(url: url)
        case .form(let form): form.makeInputStream()
        }
    }

    /// Returns the value of the field with the hash of the content that a signature covers; nil if the content is in
    /// memory, so that the signature itself reads it.
    ///
    /// Content that can be sent only once is not read before. S3 accepts a signature that does not cover it.
    func hashToSign(isChunked: Bool, service: String) throws(UsageError) -> String? {
        switch self {
        case .none: return nil
        case .data(let data): return isChunked ? SHA256.hash(data).hexadecimal : nil
        case .stream:
            guard service == "s3" else {
                throw UsageError("--aws-sigv4: a body from standard input without a length cannot be signed.")
            }
            return AWSSignature.unsignedHash
        case .file, .form:
            guard let stream = makeStream() else { return nil }
            stream.open()
            defer { stream.close() }
            var hash = SHA256()
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = stream.read(&buffer, maxLength: buffer.count)
                guard count >= 0 else { throw UsageError("The body cannot be read to sign it.") }
                guard count > 0 else { return hash.finished().hexadecimal }
                buffer.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            }
        }
    }

    /// Returns the request with the body.
    func attached(to request: URLRequest, isChunked: Bool) -> URLRequest {
        var request = request
        if case .data(let data) = self, !isChunked {
            request.httpBody = data
            return request
        }
        if case .data(let data) = self {
            request.httpBodyStream = InputStream(data: data)
        } else if let stream = makeStream() {
            request.httpBodyStream = stream
            if !isChunked, let length = length ?? nil {
                request.setValue(String(length), forHTTPHeaderField: "Content-Length")
            }
        }
        return request
    }
}
