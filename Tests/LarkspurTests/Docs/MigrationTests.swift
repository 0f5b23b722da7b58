import LarkspurTesting
import Testing

@testable import Larkspur
@testable import LarkspurReachability

/// A page with a row for every public symbol of another library.
struct MigrationGuide: Sendable, CustomTestStringConvertible {
    let page: String
    /// The number of symbols, by the heading of the table that has them.
    let counts: KeyValuePairs<String, Int>

    var testDescription: String { page }

    static let all = [afNetworking, alamofire]

    /// The numbers are those of AFNetworking's headers.
    static let afNetworking = MigrationGuide(
        page: "MigratingFromAFNetworking.md",
        counts: [
            "AFURLSessionManager": 23, "Block setters of AFURLSessionManager": 16, "Notifications": 6,
            "Keys of notifications": 6, "AFHTTPSessionManager": 17, "AFURLRequestSerialization": 3,
            "AFHTTPRequestQueryStringSerializationStyle": 2, "AFHTTPRequestSerializer": 20, "AFMultipartFormData": 8,
            "AFJSONRequestSerializer": 3, "AFPropertyListRequestSerializer": 4,
            "Functions and constants of requests": 6, "AFURLResponseSerialization": 3, "AFHTTPResponseSerializer": 6,
            "AFJSONResponseSerializer": 5, "AFXMLParserResponseSerializer": 1, "AFXMLDocumentResponseSerializer": 4,
            "AFPropertyListResponseSerializer": 5, "AFImageResponseSerializer": 3, "AFCompoundResponseSerializer": 3,
            "Functions and constants of responses": 4, "AFSSLPinningMode": 4, "AFSecurityPolicy": 11,
            "AFNetworkReachabilityStatus": 5, "AFNetworkReachabilityManager": 16,
            "Functions and constants of reachability": 3, "AFImageCache": 5, "AFImageRequestCache": 5,
            "AFAutoPurgingImageCache": 6, "AFImageDownloadPrioritization": 3, "AFImageDownloadReceipt": 3,
            "AFImageDownloader": 13, "AFNetworkActivityIndicatorManager": 9, "UIActivityIndicatorView": 1,
            "UIButton": 10, "UIImageView": 6, "UIProgressView": 2, "UIRefreshControl": 1, "WKWebView": 3,
            "Umbrella headers and macros": 6,
        ]
    )

    /// The rows of the symbols.
    func rows() throws -> [[String]] {
        let page = try #require(Documentation.page(page))
        return counts.flatMap { page.rows(below: "### \($0.key)") }
    }
}

@Suite("The migration guides")
struct MigrationGuideTests {
    @Test("Every public symbol has its row, and every table has its number of rows", arguments: MigrationGuide.all)
    func counts(guide: MigrationGuide) throws {
        let page = try #require(Documentation.page(guide.page))
        for (heading, count) in guide.counts {
            let rows = page.rows(below: "### \(heading)")
            #expect(rows.count == count, "\(heading)")
            #expect(Set(rows.map(\.first)).count == count, "\(heading)")
        }
        let others = page.rows(below: "### Lines of code").count
        #expect(page.rows().count == guide.counts.map(\.value).reduce(others, +))
    }

    @Test("Each row has a counterpart, or a reason for its absence", arguments: MigrationGuide.all)
    func reasons(guide: MigrationGuide) throws {
        for row in try guide.rows() {
            #expect(row.count == 2 && row[0].hasPrefix("`"), "\(row)")
            let isReason = row[1] == "None: as above" || (row[1].hasPrefix("None: ") && row[1].count > 30)
            #expect(isReason || (!row[1].hasPrefix("None") && row[1].contains("`")), "\(row)")
        }
    }

    private static let words: Set<Substring> = Set(
        Documentation.sources(below: "Sources").flatMap { file in
            file.text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        }
    )

    @Test("The names in the rows occur in the sources", arguments: MigrationGuide.all)
    func names(guide: MigrationGuide) throws {
        for row in try guide.rows() where !row[1].hasPrefix("None") {
            for name in row[1].matches(of: /`([^`]+)`/).map({ String($0.output.1) }) {
                for word in name.matches(of: /[A-Za-z0-9_]+/).map(\.output) {
                    #expect(Self.words.contains(word) || Self.others.contains(word), "\(row)")
                }
            }
        }
    }

    /// Words of Foundation's and of examples.
    private static let others: Set<Substring> = ["NSURLSessionResponseBecomeDownload"]
}

/// Runs the samples of `Docs/MigratingFromAFNetworking.md`.
@Suite("The guide for users of AFNetworking", .timeLimit(.minutes(5)))
struct MigrationTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()
    let samples: MigrationSamples

    init() throws {
        server = try LoopbackServer()
        samples = MigrationSamples(manager: TestTransport.allCases[0].makeManager(for: server))
    }

    @Test func get() async throws {
        server.route("/users", .json("[1]"))
        let manager = samples.get(server.baseURL)
        try await manager.finishAll()
        #expect(samples.output.values.count == 1)
        #expect(server.requests.last?.query("page") == "2")
    }

    @Test func serializers() async throws {
        samples.serializers()
        let call = try await samples.manager.call(.post, "post", parameters: ["a": 1])
        #expect(call.error?.code == .unacceptableContentType)
        #expect(server.requests.last?.headers["X-Request-ID"] == "42")
        #expect(server.requests.last?.text == #"{"a":1}"#)
    }

    @Test func download() async throws {
        server.route("/disk.iso", .text("abc"))
        samples.download(URLRequest(url: server.url("/disk.iso")), folder.url)
        try await samples.manager.finishAll()
        let path = try #require(samples.output.values.last)
        #expect(path.hasSuffix("/disk.iso"))
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func redirection() async throws {
        samples.redirection()
        #expect(try await samples.manager.call(.get, "redirect/1").error?.statusCode == 302)
    }

    @Test func challenge() async throws {
        samples.challenge(URLCredential(user: "ada", password: "secret", persistence: .none))
        #expect(try await samples.manager.call(.get, "basic-auth/ada/secret").error == nil)
    }

    @Test func notification() async throws {
        let observer = samples.notification()
        defer { NotificationCenter.default.removeObserver(observer) }
        _ = try await samples.manager.call(.get, "status/404")
        try await samples.output.wait { $0.contains("unacceptable-status-code") }
    }

    @Test func pins() throws {
        let url = try #require(URL(string: "https://example.com"))
        #expect(try samples.pins(url, folder.url).securityPolicy.pinningMode == .publicKey)
    }
}
