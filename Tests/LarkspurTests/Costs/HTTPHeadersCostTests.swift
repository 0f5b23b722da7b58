import TestSupport
import Testing

@testable import Larkspur

/// The costs of `HTTPURLResponse.headers`, as a server may send tens of thousands of fields.
@Suite("Costs of headers", .enabled(if: Growth.isMeasured), .serialized, .timeLimit(.minutes(5)))
struct HTTPHeadersCostTests {
    @Test("Operations on four times as many fields take about four times as long", arguments: ["X-", "h"])
    func growth(prefix: String) {
        let fields = { (count: Int) in
            Dictionary(uniqueKeysWithValues: (0..<count).map { ("\(prefix)\($0)", "v") })
        }
        let growth = Growth.factor(of: fields, upTo: 20_000) { fields in
            var headers = HTTPHeaders(allHeaderFields: fields)
            headers = HTTPHeaders(headers)
            headers.merge(headers)
            #expect(headers == HTTPHeaders(fields))
        }
        #expect(growth < Growth.linear)
    }
}
