import HTTPSyntax
import LarkspurCredentials

/// The argument of `--aws-sigv4`, in curl's syntax: `aws:amz:REGION:SERVICE`. As in curl, the region and the service
/// may be left out. Then they are the second and the first part of the host's name.
struct AWSSigning: Equatable, Sendable {
    /// The argument as it was given.
    let text: String
    private let region: String?
    private let service: String?

    init(_ text: String) throws(UsageError) {
        let parts = text.parts(separatedBy: ":", omittingEmptyParts: false).map { String($0) }
        guard (2...4).contains(parts.count), parts[0].hasSameLetters(as: "aws"), parts[1].hasSameLetters(as: "amz")
        else { throw UsageError("--aws-sigv4: “\(text.excerpt)” is not of the form aws:amz:REGION:SERVICE.") }
        self.text = text
        region = parts.count > 2 && !parts[2].isEmpty ? parts[2] : nil
        service = parts.count > 3 && !parts[3].isEmpty ? parts[3] : nil
    }

    /// Creates the interceptor that signs a request.
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - keys: The keys; nil for those of the environment or of AWS's file.
    func signature(for url: URL, _ keys: AWSCredentials?) throws(UsageError) -> AWSSignature {
        let labels = (url.host ?? "").parts(separatedBy: ".").map { String($0) }
        guard let service = service ?? labels.first, let region = region ?? labels.dropFirst().first else {
            throw UsageError("--aws-sigv4 names no region or service, and the host of the URL has none either.")
        }
        let source = keys.map { AWSCredentialSource.fixed($0) } ?? .standard
        return AWSSignature(service: service, region: region, credentials: source, for: url)
    }
}
