#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Decisions about resumed downloads")
struct ResumeDecisionTests {
    typealias Reply = ResumeDecision.Reply

    private static let tag = "\"a\""

    private static func part(
        _ range: String?,
        tag: String? = tag,
        length: Int64? = nil,
        isCoded: Bool = false,
        hasManyParts: Bool = false,
        hasDoubtfulEnd: Bool = false
    ) -> Reply {
        Reply(
            status: 206,
            contentRange: range,
            contentLength: length,
            entityTag: tag,
            isCoded: isCoded,
            hasManyParts: hasManyParts,
            hasDoubtfulEnd: hasDoubtfulEnd
        )
    }

    /// 40 bytes are there.
    static let cases: [(reply: Reply, total: Int64?, decision: ResumeDecision)] = [
        (part("bytes 40-99/100"), 100, .append(end: 100, total: 100)),
        (part("bytes 40-99/100", length: 60), 100, .append(end: 100, total: 100)),
        (part("bytes 40-99/100"), nil, .append(end: 100, total: 100)),
        (part("bytes 40-99/*"), 100, .append(end: 100, total: 100)),
        // Less than was asked for, which a server may send.
        (part("bytes 40-49/100"), 100, .append(end: 50, total: 100)),
        // Another place, another length, another version, nothing that says so.
        (part("bytes 39-99/100"), 100, .askAnew),
        (part("bytes 41-99/100"), 100, .askAnew),
        (part("bytes 0-99/100"), 100, .askAnew),
        (part("bytes 40-100/101"), 100, .askAnew),
        (part("bytes 40-98/99"), 100, .askAnew),
        (part("bytes 40-100/*"), 100, .askAnew),
        (part("bytes 40-99/100", tag: "\"b\""), 100, .askAnew),
        (part("bytes 40-99/100", tag: nil), 100, .askAnew),
        (part("bytes 40-99/100", length: 61), 100, .askAnew),
        (part("bytes 40-99/100", isCoded: true), 100, .askAnew),
        (part("bytes 40-99/100", hasManyParts: true), 100, .askAnew),
        (part("bytes 40-99/100", hasDoubtfulEnd: true), 100, .askAnew),
        // Nobody knows whether more follows.
        (part("bytes 40-99/*"), nil, .askAnew),
        (part("bytes */100"), 100, .askAnew),
        (part("bytes 40-9223372036854775807/*"), nil, .askAnew),
        (part("nonsense"), 100, .askAnew),
        (part(nil), 100, .askAnew),
        (Reply(status: 416, contentRange: "bytes */40"), nil, .askForLastByte(total: 40)),
        (Reply(status: 416, contentRange: "bytes */40"), 100, .askAnew),
        (Reply(status: 416, contentRange: "bytes */41"), nil, .askAnew),
        (Reply(status: 416), nil, .askAnew),
        (Reply(status: 200), 100, .startOver),
        (Reply(status: 204), 100, .startOver),
        (Reply(status: 304), 100, .startOver),
        (Reply(status: 404), 100, .startOver),
        (Reply(status: 412), 100, .startOver),
        (Reply(status: 401), 100, .setAside),
        (Reply(status: 429), 100, .setAside),
        (Reply(status: 503), 100, .setAside),
    ]

    @Test("Only the rest of the same version is appended to the file", arguments: cases)
    func decide(_ test: (reply: Reply, total: Int64?, decision: ResumeDecision)) {
        #expect(
            ResumeDecision.decide(test.reply, offset: 40, total: test.total, validator: .entityTag(Self.tag))
                == test.decision
        )
    }

    /// Replies to a request for the whole.
    static let answers: [(reply: Reply, isWhole: Bool)] = [
        (Reply(status: 200), true), (Reply(status: 404, contentRange: "bytes 1-9/10"), true),
        (part("bytes 0-9/10"), true), (part("bytes 1-9/10"), false), (part("bytes 0-8/10"), false),
        (part("bytes 0-9/*"), false), (part("bytes */10"), false), (part(nil), false),
        (part("bytes 0-9/10", hasManyParts: true), false),
    ]

    @Test("A part is the whole file only if its range covers the whole file", arguments: answers)
    func whole(_ test: (reply: Reply, isWhole: Bool)) {
        #expect(ResumeDecision.isWhole(test.reply) == test.isWhole)
    }
}
#endif
