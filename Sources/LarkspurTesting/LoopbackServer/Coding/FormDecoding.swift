internal import HTTPSyntax
internal import Foundation

/// The decoding of a query and of `application/x-www-form-urlencoded` by the WHATWG's URL standard.
enum FormDecoding {
    static func items(of text: String) -> [URLQueryItem] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return URLQueryItem(
                name: String(parts[0]).percentDecoded(plusIsSpace: true),
                value: parts.count > 1 ? String(parts[1]).percentDecoded(plusIsSpace: true) : nil
            )
        }
    }
}
