import Foundation
import Testing

@testable import LarkspurTransport

/// Content in a coding, as gzip 1.12, zlib 1.2, brotli 1.0 and zstd 1.5 made it.
struct CodedSample: Sendable, CustomTestStringConvertible {
    let name: String
    let field: String
    let coded: Data

    var testDescription: String { name }

    /// What all samples decode to.
    static let text = Data((0..<12).map { "Larkspur \($0 * $0): delphinium, rocket, consolida. " }.joined().utf8)

    static let gzip = sample(
        "gzip",
        "H4sIAAAAAAACA/NJLMouLigtUjCwUkhJzSnIyMzLLM3VUSjKT85OLdFRSM7PK87PyUxJ1FPwgSk1JF6pCfFKLUlwgBnxao1MiVdrTIK5JiS414yE"
            + "YLAgIXQNDUiJNSPCJgMAySyh3Q4CAAA="
    )
    static let deflate = sample(
        "deflate",
        "eNrzSSzKLi4oLVIwsFJISc0pyMjMyyzN1VEoyk/OTi3RUUjOzyvOz8lMSdRT8IEpNSReqQnxSi1JcIAZ8WqNTIlXa0yCuSYkuNeMhGCwICF0DQ1I"
            + "iTUjwiYDAJv2uj8="
    )
    /// Deflate without the wrapping of zlib, which some servers send.
    static let bareDeflate = CodedSample(
        name: "bare deflate",
        field: "deflate",
        coded: data(
            "80ksyi4uKC1SMLBSSEnNKcjIzMsszdVRKMpPzk4t0VFIzs8rzs/JTEnUU/CBKTUkXqkJ8UotSXCAGfFqjUyJV2tMgrkmJLjXjIRgsCAhdA0NSIk1"
                + "I8ImAwA="
        )
    )
    static let brotli = sample(
        "br",
        "Hw0CAMSoa6Q7ftXAJxKfCTo4ABsewOKIGp4hj7El40mi753Ls77X/0AkdP12TfMx/ztBsuk/guOGnbvCIIckZKBYkg4hZS3tbZnMlquiFSQ0sdxREQ=="
    )
    static let zstd = sample(
        "zstd",
        "KLUv/QRoxQIA0sMNEJB9hDvhombZow1JH3DXH+RD/KNyUjnEjPOpvAfm4rS52uZAP9ksdkB3rBHe+Zwr4XjfLDFbAQygEEi8/+9gM8Y4HZ1ymUNDhoYC"
            + "8kEPFVQh5gotA5ReFzE="
    )

    static let all = [gzip, deflate, bareDeflate, brotli, zstd].filter {
        ContentDecoder(contentEncoding: $0.field, maximumExpansion: 1) != nil
    }

    /// 64 KiB of zeros as a gzip member, 720 times smaller.
    static let zeros = data(
        "H4sIAAAAAAACA+3BAQEAAACAkP6v7ggKAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            + "auuOl9cAAAEA"
    )

    /// Zeros as gzip members, 16 of which are a mebibyte.
    static func zeros(members: Int) -> Data { Data((0..<members).map { _ in zeros }.joined()) }

    /// 16 MiB of zeros with brotli, in 14 bytes, which no network takes apart.
    static let brotliZeros = data("z///fwAkAOKxQHLv/wc=")

    private static func sample(_ field: String, _ base64: String) -> CodedSample {
        CodedSample(name: field, field: field, coded: data(base64))
    }

    private static func data(_ base64: String) -> Data { Data(base64Encoded: base64) ?? Data() }
}
