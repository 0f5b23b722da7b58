package import Foundation

/// An algorithm of Digest authentication (RFC 7616, section 3.3).
package enum DigestAlgorithm: String, CaseIterable {
    case md5 = "MD5"
    case md5Session = "MD5-sess"
    case sha256 = "SHA-256"
    case sha256Session = "SHA-256-sess"

    package init?(ignoringCase name: String) {
        guard let algorithm = Self.allCases.first(where: { $0.rawValue.hasSameLetters(as: name) }) else {
            return nil
        }
        self = algorithm
    }

    package var isSession: Bool {
        self == .md5Session || self == .sha256Session
    }

    /// Computes the function that the RFC calls H, with its result in hexadecimal digits.
    package func hash(_ data: Data) -> String {
        switch self {
        case .md5, .md5Session: MD5.hash(data).hexadecimal
        case .sha256, .sha256Session: SHA256.hash(data).hexadecimal
        }
    }

    package func hash(_ parts: String...) -> String {
        hash(Data(parts.joined(separator: ":").utf8))
    }
}
