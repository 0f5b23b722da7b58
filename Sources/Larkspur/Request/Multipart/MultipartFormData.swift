/// The body of a request in parts: the fields and files of a form (RFC 7578).
///
///     var form = MultipartFormData()
///     form.append(text: "Ada", name: "author")
///     try form.append(file: URL(fileURLWithPath: "portrait.jpg"), name: "portrait")
///
/// It is sent as a stream: files are read while they are sent, a piece at a time, so that a body of any size costs
/// little memory and no temporary file. Its length is known beforehand. A file that has another size by then, or cannot
/// be read, is an error of the request; what the server got is never taken for whole.
///
/// A form is a value: a copy has its own parts. It can be sent any number of times, except for a part of a single
/// stream.
public struct MultipartFormData: Sendable {
    /// What separates the parts. Default: random.
    public var boundary: MultipartBoundary

    /// How many bytes are read for sending in a second, at most; nil for as many as the network takes. Default: nil.
    ///
    /// It holds for each sending. What is less than 1 counts as 1. With the transport `.foundation` on Linux, waiting
    /// for the next piece holds up all tasks of the session.
    public var bytesPerSecond: Int?

    private(set) var parts: [MultipartPart] = []

    /// Makes a form without parts.
    /// - Parameter boundary: What separates the parts. Default: random.
    public init(boundary: MultipartBoundary = MultipartBoundary()) {
        self.boundary = boundary
    }

    /// Whether there are no parts. Such a form is sent as its closing delimiter alone.
    public var isEmpty: Bool { parts.isEmpty }

    /// The value of the request's `Content-Type` field.
    public var contentType: String { "multipart/form-data; boundary=\(boundary.parameter)" }

    /// The length of the whole body in bytes: the value of the request's `Content-Length` field.
    public var contentLength: Int64 {
        var length = Int64(closingDelimiter.count)
        for index in parts.indices {
            // More than there are bytes in the world is as good as the greatest number.
            for count in [Int64(delimiter(before: index).count), Int64(parts[index].header.count), parts[index].length]
            {
                let (sum, isTooMuch) = length.addingReportingOverflow(count)
                length = isTooMuch ? .max : sum
            }
        }
        return length
    }

    mutating func append(_ part: MultipartPart) { parts.append(part) }

    // MARK: The bytes between the parts

    /// The line before a part (RFC 2046, section 5.1.1), with the line break that ends what is before it.
    func delimiter(before index: Int) -> Data {
        Data("\(index == 0 ? "" : "\r\n")--\(boundary.value)\r\n".utf8)
    }

    /// The line after the last part.
    var closingDelimiter: Data { Data("\(parts.isEmpty ? "" : "\r\n")--\(boundary.value)--\r\n".utf8) }
}
