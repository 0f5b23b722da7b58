internal import Foundation
internal import Synchronization

/// The nonces of a server, and their uses.
final class DigestNonces: Sendable {
    enum Verdict {
        case fresh
        /// The server did not create the nonce or no longer accepts it, or the client has used it with that count
        /// before.
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
    ///   - count: The client's nonce count; nil if the client sends none, and may use a nonce repeatedly.
    ///   - limit: The maximum number of uses of the nonce; nil for any number.
    func use(_ nonce: String, count: Int?, limit: Int?) -> Verdict {
        uses.withLock { uses in
            guard let counts = uses[nonce], counts.count < limit ?? .max else { return .stale }
            let use = count ?? -counts.count - 1
            return uses[nonce, default: []].insert(use).inserted ? .fresh : .stale
        }
    }
}
