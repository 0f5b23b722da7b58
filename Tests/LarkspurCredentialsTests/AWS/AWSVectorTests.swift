import HTTPSyntax
import TestSupport
import Testing

@testable import LarkspurCredentials

/// The examples that AWS has published, and other requests beside botocore.
@Suite("Published signatures of AWS")
struct AWSVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        var method = "GET"
        let url: String
        var fields: [String: String] = [:]
        var body: String?
        var service = "s3"
        let names: String
        let signature: String

        var testDescription: String { "\(method) \(url)" }

        static let all = [
            Vector(
                url: "https://examplebucket.s3.amazonaws.com/test.txt",
                fields: ["Range": "bytes=0-9"],
                names: "host;range;x-amz-content-sha256;x-amz-date",
                signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
            ),
            Vector(
                method: "PUT",
                url: "https://examplebucket.s3.amazonaws.com/test$file.text",
                fields: ["Date": "Fri, 24 May 2013 00:00:00 GMT", "X-Amz-Storage-Class": "REDUCED_REDUNDANCY"],
                body: "Welcome to Amazon S3.",
                names: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
                signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
            ),
            Vector(
                url: "https://examplebucket.s3.amazonaws.com/?lifecycle",
                names: "host;x-amz-content-sha256;x-amz-date",
                signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
            ),
            Vector(
                url: "https://examplebucket.s3.amazonaws.com?prefix=J&max-keys=2",
                names: "host;x-amz-content-sha256;x-amz-date",
                signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
            ),
            // The requests get-vanilla, get-vanilla-query-order-key-case and post-vanilla of the test suite.
            Vector(
                url: "https://example.amazonaws.com/",
                service: "service",
                names: "host;x-amz-date",
                signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
            ),
            Vector(
                url: "https://example.amazonaws.com/a/./..//?Param2=value2&Param1=value1",
                service: "service",
                names: "host;x-amz-date",
                signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
            ),
            Vector(
                method: "POST",
                url: "https://example.amazonaws.com/",
                service: "service",
                names: "host;x-amz-date",
                signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
            ),
            Vector(
                url: "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
                fields: ["Content-Type": " application/x-www-form-urlencoded;  charset=utf-8"],
                service: "iam",
                names: "content-type;host;x-amz-date",
                signature: "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
            ),
        ]
    }

    @Test("Requests have the published signatures", arguments: Vector.all)
    func requests(_ vector: Vector) async throws {
        let isStorage = vector.service == "s3"
        // These fields are not signed, because the transport or a proxy may change them.
        let others = ["User-Agent": "a", "Accept-Encoding": "gzip", "Traceparent": "b", "Content-Length": "21"]
        let request = try URLRequest(
            vector.method,
            vector.url,
            vector.fields.merging(others) { own, _ in own },
            body: vector.body
        )
        let signature = AWSExamples.signature(
            service: vector.service,
            isStorage ? AWSExamples.storage : AWSExamples.suite,
            at: isStorage ? AWSExamples.storageDate : AWSExamples.suiteDate,
            for: try #require(request.url)
        )
        let sent = try await signature.sent(request)
        let place =
            isStorage
            ? "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3" : "AKIDEXAMPLE/20150830/us-east-1/\(vector.service)"
        #expect(
            sent.headers["Authorization"]
                == "AWS4-HMAC-SHA256 Credential=\(place)/aws4_request, SignedHeaders=\(vector.names), Signature=\(vector.signature)"
        )
        #expect(sent.url == request.url && sent.httpBody == request.httpBody)
        // A signature replaces the one of an earlier attempt.
        #expect(try await signature.sent(sent).headers == sent.headers)
    }

    @Test("A URL has the published signature")
    func presignedURL() async throws {
        let request = try URLRequest("GET", "https://examplebucket.s3.amazonaws.com/test.txt", ["Accept": "*/*"])
        let signature = AWSExamples.signature(for: try #require(request.url))
        let url = try await signature.presignedURL(for: request, lifetime: .seconds(86_400))
        let parameters = [
            "X-Amz-Algorithm=AWS4-HMAC-SHA256",
            "X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request",
            "X-Amz-Date=20130524T000000Z", "X-Amz-Expires=86400", "X-Amz-SignedHeaders=host",
            "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
        ].joined(separator: "&")
        #expect(url.absoluteString == "https://examplebucket.s3.amazonaws.com/test.txt?\(parameters)")
        // A presigned URL can be signed again.
        let again = try await signature.presignedURL(for: URLRequest(url: url), lifetime: .seconds(86_400))
        #expect(again == url)
    }

    @Test("Chunks have the published signatures, whatever parts the content arrives in", .seeded)
    func chunks() throws {
        let key = AWSSigningKey(
            AWSExamples.storage,
            region: "us-east-1",
            service: "s3",
            date: AWSExamples.storageDate
        )
        let request = AWSCanonicalRequest(
            method: "PUT",
            url: try #require(URL(string: "https://s3.amazonaws.com/examplebucket/chunkObject.txt")),
            fields: [
                "Host": "s3.amazonaws.com", "x-amz-date": "20130524T000000Z",
                "x-amz-storage-class": "REDUCED_REDUNDANCY", "x-amz-content-sha256": AWSPayloadHash.streaming,
                "Content-Encoding": "aws-chunked", "x-amz-decoded-content-length": "66560", "Content-Length": "66824",
            ],
            payloadHash: AWSPayloadHash.streaming,
            pathRule: .exact
        )
        let seed = key.signature(of: request)
        #expect(seed == "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9")
        let expected = [
            (65_536, "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648"),
            (1024, "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497"),
            (0, "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9"),
        ].map { size, signature in
            "\(String(size, radix: 16));chunk-signature=\(signature)\r\n\(String(repeating: "a", count: size))\r\n"
        }.joined()
        #expect(AWSChunkedCoder.length(ofContent: 66_560) == 66_824 && expected.utf8.count == 66_824)
        var generator = SeededGenerator(48)
        for _ in 0..<20 {
            var coder = AWSChunkedCoder(key, after: seed)
            var (coded, rest) = (Data(), 66_560)
            while rest > 0 {
                let count = min(rest, Int.random(in: 0...70_000, using: &generator))
                coded += coder.code(Data(repeating: UInt8(ascii: "a"), count: count))
                rest -= count
            }
            coded += coder.finish()
            #expect(coded == Data(expected.utf8))
        }
    }

    @Test("The length of chunked content is that of its coding", arguments: [0, 1, 15, 16, 65_535, 65_536, 131_072])
    func lengths(_ count: Int) {
        let key = AWSSigningKey(AWSExamples.suite, region: "r", service: "s3", date: AWSExamples.suiteDate)
        var coder = AWSChunkedCoder(key, after: "")
        let coded = coder.code(Data(count: count)) + coder.finish()
        #expect(AWSChunkedCoder.length(ofContent: Int64(count)) == Int64(coded.count))
        #expect(AWSChunkedCoder.length(ofContent: .max) == nil)
    }

    @Test("Times have two digits for each part, and years four")
    func times() {
        for (seconds, time) in [
            (0.0, "19700101T000000Z"), (-0.5, "19691231T235959Z"), (951_782_399.9, "20000228T235959Z"),
            (-1e15, "00010101T000000Z"), (1e15, "99991231T235959Z"),
        ] {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(AWSSigningKey(AWSExamples.suite, region: "r", service: "s", date: date).time == time)
        }
    }
}

/// Requests with the signatures of botocore, from `Tests/Credentials/sigv4_beside_botocore.py`.
@Suite("AWS signatures beside botocore")
struct AWSSignatureBesideBotocoreTests {
    private struct Case: Decodable {
        let kind, method, url, body, service, region, accessKey, secret, expected: String
        let fields: [String: String]
        let token: String?
        let time: Double
        let expires: Int
    }

    private static let file = ProcessInfo.processInfo.environment["LARKSPUR_SIGNATURES"]

    @Test("Random requests and URLs have the signatures of botocore", .enabled(if: file != nil))
    func signatures() async throws {
        let content = try Data(contentsOf: URL(fileURLWithPath: try #require(Self.file)))
        let lines = content.split(separator: UInt8(ascii: "\n"))
        var failures = 0
        for line in lines {
            let test = try JSONDecoder().decode(Case.self, from: line)
            var request = try URLRequest(test.method, test.url)
            request.headers = HTTPHeaders(test.fields)
            request.httpBody = Data(base64Encoded: test.body)
            #expect(request.url?.absoluteString == test.url)
            let signature = AWSExamples.signature(
                service: test.service,
                region: test.region,
                AWSCredentials(accessKeyID: test.accessKey, secretAccessKey: test.secret, sessionToken: test.token),
                at: Date(timeIntervalSince1970: test.time),
                for: try #require(request.url)
            )
            let signed =
                test.kind == "query"
                ? try await signature.presignedURL(for: request, lifetime: .seconds(test.expires)).absoluteString
                : try await signature.sent(request).headers["Authorization"]
            guard signed != test.expected else { continue }
            failures += 1
            if failures <= 3 { Issue.record("\(String(decoding: line, as: UTF8.self))\n\(signed ?? "")") }
        }
        #expect(failures == 0 && lines.count >= 1000)
    }
}
