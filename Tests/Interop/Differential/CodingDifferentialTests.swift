#if canImport(FoundationNetworking)
import Foundation
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite(
    "Content codings, beside zlib, brotli and zstandard of Python",
    .needsServers,
    .seeded,
    .differentialLimit
)
struct CodingDifferentialTests {
    private struct Case: Decodable {
        let field: String
        let coded: Data
        let content: Data?
        let isBroken: Bool
        let hasRest: Bool
        let chunk: Int
    }

    @Test("Valid and invalid contents in any chunks are decoded as other decoders do")
    func decoding() throws {
        let count = DifferentialRun.count(600)
        let cases: [Case] = try DifferentialRun.cases(of: "differential_codings", count)
        try #require(cases.count == count)
        var run = DifferentialRun("Content codings")
        for sample in cases {
            let decoder = try #require(ContentDecoder(contentEncoding: sample.field, maximumExpansion: 1000))
            let own = try? decode(sample, decoder)
            if own == sample.content, !sample.hasRest {
                run.agree()
            } else if own == sample.content || own == nil, sample.hasRest {
                // Python's zlib gives such bytes to its caller, brotli and zstandard do it or fail.
                run.differ("bytes behind the end of a coding are \(own == nil ? "a fault" : "ignored")", "")
            } else if sample.isBroken, sample.field == "zstd", own?.count == sample.content?.count {
                // libzstd 1.5.4 and 1.5.7 decode some of them to different bytes.
                run.differ("a damaged frame without a checksum has no certain content", "")
            } else {
                let length = { (data: Data?) in data.map { "\($0.count) bytes" } ?? "a fault" }
                let text =
                    "\(sample.field) in chunks of \(sample.chunk): \(length(own)), others \(length(sample.content)): \(sample.coded.prefix(200).base64EncodedString())"
                run.differ(nil, text)
            }
        }
        run.finish(agreeing: count / 2)
    }

    private func decode(_ sample: Case, _ decoder: ContentDecoder) throws -> Data {
        var content = Data()
        var rest = sample.coded
        while !rest.isEmpty {
            let chunk = Array(rest.prefix(sample.chunk))
            try chunk.withUnsafeBytes { bytes in
                try decoder.decode(bytes) { decoded in
                    content.append(contentsOf: decoded)
                    return true
                }
            }
            rest = rest.dropFirst(sample.chunk)
        }
        try decoder.finish()
        return content
    }
}
#endif
