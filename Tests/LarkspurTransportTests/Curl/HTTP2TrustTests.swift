#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

@Suite("Trust in libcurl's HTTP/2")
struct HTTP2TrustTests {
    @Test(
        "By default, HTTP/2 is offered only if libcurl's HTTP/2 was judged sound",
        arguments: [
            (.sound, true), (.faulty([.resetWithoutError]), false), (.untried, false), (.absent, false),
        ] as [(HTTP2Judgement, Bool)]
    )
    func judgements(_ judgement: HTTP2Judgement, _ isTrusted: Bool) {
        #expect(HTTP2Trust.offersHTTP2(.whereTrusted, judgement: judgement) == isTrusted)
        #expect(HTTP2Trust.offersHTTP2(.always, judgement: judgement))
        #expect(!HTTP2Trust.offersHTTP2(.never, judgement: judgement))
    }

    @Test("A session that does not need the judgement does not make it", arguments: [HTTP2Use.always, .never])
    func laziness(_ use: HTTP2Use) {
        func judgement() -> HTTP2Judgement {
            Issue.record("It was judged.")
            return .sound
        }
        _ = HTTP2Trust.offersHTTP2(use, judgement: judgement())
        #expect(
            HTTP3Use.never.effective(
                hasHTTP3: true,
                offersHTTP2: HTTP2Trust.offersHTTP2(.whereTrusted, judgement: judgement()),
                tls: TLSSettings(TLSConfiguration(), abilities: .present)
            ) == .never
        )
    }

    @Test(
        "The trace of libcurl is parsed",
        arguments: [
            ("[HTTP/2] [3] CLOSED\n", .closed(3)),
            ("[HTTP/2] [2147483647] <- FRAME[RST_STREAM, len=4, flags=0, error=0]\n", .reset(2_147_483_647)),
            ("[HTTP/2] [15] <- FRAME[DATA, len=5, eos=1, padlen=0]\n", .ended(15)),
            ("[HTTP/2] [15] <- FRAME[HEADERS, len=48, hend=1, eos=1]\n", .ended(15)),
            ("[HTTP/2] [15] <- FRAME[HEADERS, len=48, hend=1, eos=0]\n", .received(15)),
            ("[HTTP/2] [0] <- FRAME[WINDOW_UPDATE, incr=16777216]\n", .received(0)),
            ("[HTTP/2] [15] -> FRAME[HEADERS, len=48, hend=1, eos=1]\n", nil),
            ("[HTTP/2] [15] -> FRAME[DATA, len=0, eos=1, padlen=0]\n", .sent(15)),
            ("[HTTP/2] [15] -> FRAME[DATA, len=5, eos=0, padlen=0]\n", nil),
            ("[HTTP/2] [15] -> FRAME[RST_STREAM, len=4, flags=0, error=8]\n", nil),
            ("[HTTP/2] [5] RESET: REFUSED_STREAM (err 7)\n", .refused(5)),
            ("[HTTP/2] [7] RESET: HTTP_1_1_REQUIRED (err 13)\n", .downgraded(7)),
            ("[HTTP/2] [5] RESET: CANCEL (err 8)\n", nil),
            ("[HTTP/3] [0] reset -> 0\n", .abandoned(0)), ("[HTTP/3] [12] reset -> 0\n", .abandoned(12)),
            ("[HTTP/3] [0] CLOSED\n", nil), ("[HTTP/3] [0] RESET: error 258\n", nil),
            ("[HTTP/2] [0] reset -> 0\n", nil), ("[HTTP/3] [0", nil),
            ("[HTTP/2] [3] header: x: ] CLOSED\n", nil), ("[HTTP/2] [99999999999999999999] CLOSED\n", nil),
            ("Connection #0 to host localhost left intact\n", nil), ("[HTTP/2] [", nil), ("", nil),
        ] as [(String, StreamEvent?)]
    )
    func trace(_ line: String, _ event: StreamEvent?) {
        #expect(Array(line.utf8).withUnsafeBytes { StreamEvent($0) } == event)
    }

    @Test("A stream that was reset before its end is recognized by its connection and number")
    func watch() {
        var watch = StreamWatch()
        func note(_ event: StreamEvent, _ connection: Int64 = 0) -> Bool { watch.note(event, on: connection) }
        #expect(!note(.ended(1)))
        #expect(!note(.reset(1)))
        #expect(!note(.closed(1)))
        #expect(!note(.reset(1)))
        #expect(note(.closed(1)))
        #expect(!note(.ended(3), 1))
        #expect(!note(.reset(3), 2))
        #expect(note(.closed(3), 2))
        #expect(!note(.reset(5)))
        #expect(!note(.closed(7)))
        #expect(!note(.closed(5)))
    }

    @Test("A retired connection is remembered until many others have followed")
    func retirement() {
        var retired = RetiredConnections()
        for number in 0..<Int64(100) { retired.insert(number) }
        #expect(retired.contains(99))
        #expect(retired.contains(50))
        #expect(!retired.contains(0))
    }
}
#endif
