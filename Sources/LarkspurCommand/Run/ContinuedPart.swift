import HTTPSyntax
import Larkspur

/// The part of a file that a response with the status 206 has.
struct ContinuedPart: Equatable {
    /// The number of bytes.
    let length: Int64
    /// Whether the part is the rest of the file. Also true if the server does not know the file's length.
    let isRest: Bool

    /// Reads the part of a response, as the library's downloads do.
    /// - Parameter offset: The position in the file at which the part has to begin.
    /// - Throws: The reason why the content cannot be appended to the file.
    init(_ response: HTTPURLResponse, at offset: Int64) throws(UsageError) {
        let type = response.value(forHTTPHeaderField: "Content-Type")?.lowercased() ?? ""
        guard let field = response.value(forHTTPHeaderField: "Content-Range"),
            case .part(let first, let last, let total) = ContentRange(field), first == offset,
            !type.begins(with: "multipart/byteranges")
        else { throw UsageError("The server sends another part of the content than the one asked for.") }
        let coding = response.value(forHTTPHeaderField: "Content-Encoding")?.trimmingBlanks ?? ""
        guard coding.isEmpty || coding.hasSameLetters(as: "identity") else {
            throw UsageError(
                "The server sends the rest of the file in the coding \(coding), and it cannot be appended."
            )
        }
        length = last - first + 1
        isRest = total.map { last + 1 == $0 } ?? true
        let announced = response.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
        guard announced == nil || announced == length else {
            throw UsageError("The server announces \(announced ?? 0) bytes for a part of \(length) bytes.")
        }
    }
}
