import Foundation
import JSONSyntax
import TestSupport
import Testing

@testable import LarkspurTesting

@Suite("Costs of cassettes", .enabled(if: Growth.isMeasured), .serialized) struct CassetteCostTests {
    private func interactions(_ count: Int) -> [Interaction] {
        (0..<count).map { number in
            Interaction(
                request: .init(method: "GET", url: "http://a/\(number)?a=1&b=2", headers: [], body: .none),
                response: .init(status: 200, headers: [], body: .text("line\nline \(number)"))
            )
        }
    }

    @Test("The cost of reading and writing is proportional to the size of the file")
    func file() {
        let reading = Growth.factor(of: { CassetteFile.write(interactions($0)) }, upTo: 1 << 12) { content in
            _ = try? CassetteFile.read(content, name: "x")
        }
        #expect(reading < Growth.linear)
        let writing = Growth.factor(of: interactions, upTo: 1 << 12) { _ = CassetteFile.write($0) }
        #expect(writing < Growth.linear)
    }

    @Test("Content of every class of bytes is written and read in linear time")
    func byteClasses() {
        let parsing = ByteInputs.excesses { bytes in
            _ = try? JSONNode(Array("[".utf8) + bytes, maximumDepth: 100)
            let body = RecordedBody(Data(bytes), type: "text/plain")
            let interaction = Interaction(
                request: .init(method: "GET", url: "http://a/", headers: [], body: body),
                response: .init(status: 200, headers: [], body: .none)
            )
            _ = try? CassetteFile.read(CassetteFile.write([interaction]), name: "x")
        }
        #expect(parsing == [])
    }

    @Test("The cost of a search is proportional to the number of requests")
    func finding() {
        let factor = Growth.factor(of: interactions, upTo: 1 << 12) { interactions in
            var records = CassetteRecords(interactions, .default)
            for interaction in interactions { _ = records.next(for: interaction.request) }
        }
        #expect(factor < Growth.linear)
    }
}
