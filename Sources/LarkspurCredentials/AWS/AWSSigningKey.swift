internal import HTTPSyntax

/// The key for the signatures of one moment, region and service (AWS Signature Version 4).
///
/// The descriptions contain neither the secret nor the derived key.
struct AWSSigningKey: Sendable {
    /// The name of the algorithm.
    static let algorithm = "AWS4-HMAC-SHA256"

    /// The time of the signatures, such as `20130524T000000Z`.
    let time: String
    /// The date, the region, the service and a fixed word.
    let scope: String
    /// The access key and the scope, which a server needs to derive the key.
    let credential: String
    private let key: [UInt8]

    init(_ credentials: AWSCredentials, region: String, service: String, date: Date) {
        time = Self.time(of: date)
        let day = String(time.before("T"))
        scope = "\(day)/\(region)/\(service)/aws4_request"
        credential = "\(credentials.accessKeyID)/\(scope)"
        var key = Array("AWS4\(credentials.secretAccessKey)".utf8)
        for part in [day, region, service, "aws4_request"] { key = HMACSHA256.code(of: Data(part.utf8), key: key) }
        self.key = key
    }

    /// Returns the text that is signed for a request.
    func textToSign(of request: AWSCanonicalRequest) -> String {
        let hash = SHA256.hash(Data(request.text.utf8)).hexadecimal
        return [Self.algorithm, time, scope, hash].joined(separator: "\n")
    }

    /// Returns the signature of a request, in hexadecimal digits.
    func signature(of request: AWSCanonicalRequest) -> String { signature(of: textToSign(of: request)) }

    /// Returns the signature of a chunk of the content.
    /// - Parameters:
    ///   - hash: The hash of the chunk, in hexadecimal digits.
    ///   - previous: The signature of the chunk before; that of the request for the first chunk.
    func signature(ofChunkWithHash hash: String, after previous: String) -> String {
        signature(
            of: [
                "\(Self.algorithm)-PAYLOAD", time, scope, previous, AWSPayloadHash.ofNoContent, hash,
            ].joined(separator: "\n")
        )
    }

    /// Returns the value of the field `Authorization` of a request.
    func authorization(_ request: AWSCanonicalRequest, signature: String) -> String {
        "\(Self.algorithm) Credential=\(credential), SignedHeaders=\(request.signedFields), Signature=\(signature)"
    }

    private func signature(of text: String) -> String { HMACSHA256.code(of: Data(text.utf8), key: key).hexadecimal }

    /// Returns a date in UTC, without separators.
    private static func time(of date: Date) -> String {
        // The range is that of years with four digits.
        var seconds = time_t(min(max(date.timeIntervalSince1970.rounded(.down), -62_135_596_800), 253_402_300_799))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let day = digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2)
        return "\(day)T\(digits(parts.tm_hour, 2))\(digits(parts.tm_min, 2))\(digits(parts.tm_sec, 2))Z"
    }
}

extension AWSSigningKey: CustomStringConvertible, CustomReflectable {
    var description: String { "AWSSigningKey(\(scope))" }
    var customMirror: Mirror { Mirror(self, children: ["scope": scope]) }
}

/// The hashes of content, and the words in place of them, in the field `X-Amz-Content-SHA256`.
enum AWSPayloadHash {
    static let unsigned = AWSSignature.unsignedHash
    static let streaming = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
    static let ofNoContent = SHA256.hash(Data()).hexadecimal
}
