import Foundation
import Testing

@testable import LarkspurTesting

@Suite struct ResponsePlanTests {
    typealias Response = LoopbackServer.Response

    private func request(
        _ method: String = "GET",
        minorVersion: Int = 1,
        _ fields: LoopbackServer.Fields = [:]
    ) -> ReceivedHead {
        ReceivedHead(method: method, target: "/", minorVersion: minorVersion, fields: fields)
    }

    /// All bytes of the plan, with a date that does not change.
    private func text(_ response: Response, _ request: ReceivedHead) -> String {
        let plan = ResponsePlan(response.adding("Date", "now"), to: request)
        return String(decoding: plan.steps.bytes, as: UTF8.self)
    }

    @Test("A body is framed as the response and the HTTP version require")
    func framing() {
        let body = [Response.Step.text("abc"), .text(""), .text("defghijklmnop")]
        let type = "HTTP/1.1 200 OK\r\nContent-Type: t\r\nDate: now\r\n"
        let sized = Response.stream(body, contentType: "t")
        let chunked = Response.stream(body, contentType: "t", framing: .chunked)
        let untilClose = Response.stream(body, contentType: "t", framing: .untilClose)

        #expect(text(sized, request()) == type + "Content-Length: 16\r\n\r\nabcdefghijklmnop")
        #expect(
            text(chunked, request())
                == type + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nd\r\ndefghijklmnop\r\n0\r\n\r\n"
        )
        #expect(text(untilClose, request()) == type + "Connection: close\r\n\r\nabcdefghijklmnop")
        #expect(text(chunked, request(minorVersion: 0)) == text(untilClose, request(minorVersion: 0)))
        #expect(
            text(.chunked([Data("a".utf8)], contentType: "t", trailers: ["X": "y"]), request())
                .hasSuffix("\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n")
        )
    }

    @Test("The length that a script sets is sent unchanged")
    func ownLength() {
        let sent = text(.text("abc").adding("content-length", "7"), request())
        #expect(sent.contains("content-length: 7\r\n"))
        #expect(!sent.contains("Content-Length"))
    }

    @Test("HEAD has the header of GET and no body")
    func head() {
        let get = text(.text("abc"), request("GET"))
        #expect(text(.text("abc"), request("HEAD")) == String(get.dropLast(3)))
    }

    @Test("A response whose status allows no body has no length", arguments: [204, 304])
    func noBody(status: Int) {
        let sent = text(.text("abc", status: status), request())
        #expect(sent.hasSuffix("\r\n\r\n"))
        #expect(!sent.contains("Content-Length"))
    }

    @Test(
        "The connection stays open if both sides allow that",
        arguments: [
            (1, nil, nil, ResponsePlan.Ending.keepAlive, nil),
            (1, "close", nil, .close, "close"),
            (1, "x, Close", nil, .close, "close"),
            (1, nil, "close", .close, "close"),
            (0, nil, nil, .close, "close"),
            (0, "keep-alive", nil, .keepAlive, "keep-alive"),
        ] as [(Int, String?, String?, ResponsePlan.Ending, String?)]
    )
    func keepAlive(
        minorVersion: Int,
        requested: String?,
        scripted: String?,
        ending: ResponsePlan.Ending,
        connection: String?
    ) {
        var request = request(minorVersion: minorVersion)
        request.fields["Connection"] = requested
        var response = Response.text("a")
        response.headers["Connection"] = scripted

        let plan = ResponsePlan(response, to: request)

        #expect(plan.ending == ending)
        let sent = String(decoding: plan.steps.bytes, as: UTF8.self)
        #expect(sent.contains("Connection:") == (connection != nil))
        if let connection { #expect(sent.contains("Connection: \(connection)\r\n")) }
    }

    @Test("A line break in a field does not create a second field")
    func injection() {
        let sent = text(.status(200).adding("X-A", "1\r\nX-B: 2"), request())
        #expect(!sent.contains("\r\nX-B"))
    }

    @Test("A body without an end has no length")
    func endlessBody() {
        let plan = ResponsePlan(.stream([.repeated([.text("a")])]), to: request())
        #expect(!String(decoding: plan.steps.bytes, as: UTF8.self).contains("Content-Length"))
        #expect(plan.ending == .close)
    }

    @Test(
        "A response to a range request has that part of the body",
        arguments: [
            (nil, 200, "abcdefghij", nil),
            ("bytes=0-0", 206, "a", "bytes 0-0/10"),
            ("bytes=2-5", 206, "cdef", "bytes 2-5/10"),
            ("Bytes=8-", 206, "ij", "bytes 8-9/10"),
            ("bytes=8-99999999999", 206, "ij", "bytes 8-9/10"),
            ("bytes=-3", 206, "hij", "bytes 7-9/10"),
            ("bytes=-99", 206, "abcdefghij", "bytes 0-9/10"),
            ("bytes=10-", 416, "", "bytes */10"),
            ("bytes=-0", 416, "", "bytes */10"),
            ("bytes=5-2", 200, "abcdefghij", nil),
            ("bytes=0-1,3-4", 200, "abcdefghij", nil),
            ("lines=0-1", 200, "abcdefghij", nil),
            ("bytes=x-", 200, "abcdefghij", nil),
            ("bytes=99999999999999999999-", 200, "abcdefghij", nil),
            ("bytes=-", 200, "abcdefghij", nil),
            ("bytes", 200, "abcdefghij", nil),
        ] as [(String?, Int, String, String?)]
    )
    func ranges(range: String?, status: Int, body: String, contentRange: String?) {
        var response = Response.stream([
            .text("abc"), .repeated([.text("de"), .pause(.zero)], times: 1), .text("fghij"),
        ])
        response.acceptsRanges = true
        var request = request()
        request.fields["Range"] = range

        let answer = response.applyingRange(of: request)

        #expect(answer.status == status)
        #expect(String(decoding: answer.body.bytes, as: UTF8.self) == body)
        #expect(answer.headers["Content-Range"] == contentRange)
        #expect(answer.headers["Accept-Ranges"] == "bytes")
    }

    @Test(
        "If-Range requires the same representation",
        arguments: [
            ("\"v1\"", 206), ("\"v2\"", 200), ("W/\"v1\"", 200), ("Mon, 01 Jan 2024 00:00:00 GMT", 206), ("x", 200),
        ]
    )
    func ifRange(validator: String, status: Int) {
        var response = Response.text("abc").adding("ETag", "\"v1\"")
            .adding("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
        response.acceptsRanges = true
        let request = request("GET", ["Range": "bytes=1-", "If-Range": validator])
        #expect(response.applyingRange(of: request).status == status)
    }

    @Test("Ranges apply only to GET, and to responses that accept them")
    func rangesIgnored() {
        let request = request("GET", ["Range": "bytes=1-"])
        #expect(Response.text("abc").applyingRange(of: request).status == 200)
        let accepting = Response.text("abc").with { $0.acceptsRanges = true }
        #expect(accepting.applyingRange(of: self.request("POST", ["Range": "bytes=1-"])).status == 200)
    }
}
