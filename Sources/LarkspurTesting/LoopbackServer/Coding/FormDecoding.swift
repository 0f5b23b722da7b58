internal import HTTPSyntax
internal import Foundation

/// The format of a query and of `application/x-www-form-urlencoded`, as the WHATWG's URL standard decodes it.
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
