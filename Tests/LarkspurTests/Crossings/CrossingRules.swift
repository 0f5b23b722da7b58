#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport

/// The end of a call.
enum CrossingEnding: Sendable {
    /// - Parameters:
    ///   - isWhole: Whether the server says that it had exactly the content; nil if it did not say.
    case success(status: Int, content: Data, isWhole: Bool? = nil)
    /// - Parameters:
    ///   - received: The number of bytes of content that the program had before.
    case failure(label: String, message: String, received: Int = 0)
}

/// The outcomes that a crossing permits. Written from the guides, and not from the sources.
struct CrossingRules {
    let crossing: Crossing

    /// The errors that a call may end with; empty if it has to succeed.
    var permittedFailures: Set<String> {
        var labels: Set<String> = []
        let isOnce = crossing.body.isProducedOnce
        switch crossing.response {
        case .silence, .cut: labels.insert("connection-lost")
        // A writer has begun, and cannot be asked for the content again.
        case .challenge, .redirect, .expectationFailed, .refusedStream, .goAwayBefore:
            if isOnce { labels.insert("body-unreadable") }
        case .ordinary, .interim, .held, .early, .earlyClosing, .goAwayAfter: break
        }
        if crossing.connection.isLost || crossing.connection.isKept && crossing.response == .silence {
            if isOnce { labels.insert("body-unreadable") }
            // The server may have executed it.
            if crossing.method == .post { labels.insert("connection-lost") }
        }
        // The server closes the connection while content arrives, so that the reset of it may overtake the GOAWAY.
        if crossing.response == .goAwayBefore, crossing.size == .medium || crossing.size == .large {
            labels.insert("connection-lost")
        }
        if mayLeaveContent { labels.insert("connection-lost") }
        switch crossing.order?.action {
        case .cancel: labels.insert("cancelled")
        case .invalidate: labels.formUnion(["cancelled", "session-invalidated"])
        case .expire: labels.insert("timed-out")
        // A call that is resumed before its content has a consumer collects the content.
        case .suspend where crossing.order?.place == .created, .resume where crossing.order?.place == .created:
            if crossing.way.isRead { labels.insert("unsupported") }
        case .suspend, .resume, .finish, .decideLate, nil: break
        }
        return labels
    }

    /// Whether a program that reads the content gets all of it that was sent, before the error.
    var deliversBeforeFailure: Bool {
        guard crossing.way.isRead, crossing.response == .cut,
            // Such a call may fail before its response.
            crossing.connection != .http2, !crossing.connection.isLost
        else { return false }
        switch crossing.order?.action {
        case .suspend, .resume, .finish, .decideLate, nil: return true
        case .cancel, .invalidate, .expire: return false
        }
    }

    /// Whether libcurl sometimes leaves the content unsent that waits for a 100 response, if a final one arrives. The
    /// connection is not used again then.
    private static let leavesAwaitedContent: Bool = {
        let numbers = (CurlURLSession.libcurlVersion ?? "").split { $0 == "." || $0 == "-" }.compactMap { Int($0) }
        return numbers.count > 1 && numbers[0] == 8 && (7..<19).contains(numbers[1])
    }()

    /// Whether the content waits for a 100 response that does not come. The call may succeed without it, if the
    /// connection ends.
    var mayLeaveContent: Bool {
        crossing.response == .early && crossing.size == .large && Self.leavesAwaitedContent
            && [.data, .file, .form].contains(crossing.body)
    }

    /// Whether a program that reads the content may have all of it although the call ends later, with an error.
    var endsWithContent: Bool {
        guard crossing.way.isRead, crossing.response == .early else { return false }
        switch crossing.order?.action {
        case .cancel, .invalidate, .expire: return true
        case .suspend, .resume, .finish, .decideLate, nil: return false
        }
    }

    /// Compares an end with the permitted outcomes.
    /// - Parameters:
    ///   - hasContent: Whether the server has exactly the content of the call, or has answered before it.
    func violations(of ending: CrossingEnding, marker: String, hasContent: Bool) -> [String] {
        switch ending {
        case .failure(let label, let message, let received):
            guard permittedFailures.contains(label) else { return ["the error \(label) (\(message))"] }
            if label == "connection-lost", deliversBeforeFailure, received != CrossingServer.cutLength {
                return [
                    "\(received) of \(CrossingServer.cutLength) bytes that were sent before the connection was lost"
                ]
            }
            return []
        case .success(let status, let content, let isWhole):
            if !crossing.response.isWhole { return ["a success with \(content.count) bytes"] }
            if status != 200 { return ["the status \(status)"] }
            if content != Data(CrossingRecord.response(to: marker).utf8) {
                return ["the response \(String(decoding: content.prefix(80), as: UTF8.self).debugDescription)"]
            }
            let isRight = isWhole ?? (hasContent || endsWithContent)
            return isRight ? [] : ["a success although the server does not have the content"]
        }
    }
}
#endif
