internal import Foundation
internal import Synchronization

/// The nonces of a server, and how they were used.
final class DigestNonces: Sendable {
    enum Verdict {
        case fresh
        /// The server never made it, or no longer takes it, or it was used with that count before.
        case stale
    }

    /// The nonce counts with which each nonce was used.
    private let uses = Mutex<[String: Set<Int>]>([:])

    func make() -> String {
        let nonce = UUID().uuidString.replacing("-", with: "").lowercased()
        uses.withLock { $0[nonce] = [] }
        return nonce
    }

    /// Notes a use of a nonce.
    ///
    /// - Parameters:
    ///   - count: The client's nonce count; nil where it sends none, and may use a nonce again and again.
    ///   - limit: How many uses the nonce is good for; nil for any number.
    func use(_ nonce: String, count: Int?, limit: Int?) -> Verdict {
        uses.withLock { uses in
            guard let counts = uses[nonce], counts.count < limit ?? .max else { return .stale }
            let use = count ?? -counts.count - 1
            return uses[nonce, default: []].insert(use).inserted ? .fresh : .stale
        }
    }
}
