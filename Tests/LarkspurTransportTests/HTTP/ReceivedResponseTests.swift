#if canImport(FoundationNetworking)

import Dispatch
import Foundation
import Synchronization
import Testing

@testable import LarkspurTransport

@Suite("The response of a transfer") struct ReceivedResponseTests {
    private let url = URL(fileURLWithPath: "/response")

    private func received(_ fields: [String], status: Int = 200) throws -> ReceivedResponse {
        let head = try #require(try ResponseHead.reading(fields, status: status))
        return try #require(ReceivedResponse(head, url: url))
    }

    @Test("The response object is created once, at the first request of any thread")
    func races() throws {
        for _ in 0..<50 {
            let received = try received(["Content-Type: text/plain", "X-A: b"])
            #expect(!received.isMade)
            let objects = Mutex<[URLResponse]>([])
            DispatchQueue.concurrentPerform(iterations: 16) { _ in
                let object = received.object
                objects.withLock { $0.append(object) }
            }
            #expect(received.isMade)
            let made = objects.withLock { $0 }
            #expect(made.count == 16)
            #expect(made.allSatisfy { $0 === made[0] })
            #expect((made[0] as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-A") == "b")
            #expect(made[0].url == url)
        }
    }

    @Test(
        "The status and type are known without the response object, and equal those of the object",
        arguments: [
            "text/plain", "Application/JSON; charset=utf-8", "text/html;charset=\"a;b\"", "", ";", "text", "a/b, c/d",
            "application/json ;", "text/\u{E9}", String(repeating: "x", count: 300) + "/y",
        ]
    )
    func facts(type: String) throws {
        let received = try received(["Content-Type: \(type)"], status: 404)
        let (status, known) = (received.statusCode, received.typeOfField)
        #expect(!received.isMade)
        #expect(status == 404)
        #expect(received.http?.statusCode == 404)
        #expect(known == received.object.mimeType)
        #expect(known == received.typeOfField)
        // Of several types the last one counts, which Foundation does not know.
        let last = type.split(separator: ", ").last.map(String.init) ?? type
        let ordinary = HTTPURLResponse(
            url: url,
            statusCode: 404,
            httpVersion: nil,
            headerFields: ["Content-Type": last]
        )
        #expect(known == ordinary?.mimeType)
    }

    @Test("An existing response object is passed on") func wrapped() throws {
        let object = URLResponse(url: url, mimeType: "a/b", expectedContentLength: 1, textEncodingName: nil)
        let received = ReceivedResponse(object)
        #expect(received.isMade)
        #expect(received.object === object)
        #expect(received.statusCode == nil)
        #expect(received.http == nil)
        #expect(received.typeOfField == "a/b")
    }
}

#endif
