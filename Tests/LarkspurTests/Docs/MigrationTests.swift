import LarkspurTesting
import Testing

@testable import Larkspur

/// The table in `Tests/Migration` of the public symbols of another library, from which `guides.py` writes the lists of
/// its guide. That script also compiles the code of the table.
struct MigrationTable: Sendable, CustomTestStringConvertible {
    /// Symbols that become the same.
    struct Entry {
        let heading: String
        /// The counterpart, or the reason why there is none.
        let text: String
        var symbols: [String] = []
    }

    let library: String
    /// The number of symbols, by their heading.
    let counts: KeyValuePairs<String, Int>

    var testDescription: String { library }
    var page: String { "MigratingFrom\(library).md" }

    static let all = [afNetworking, alamofire]

    /// The numbers are those of AFNetworking's headers.
    static let afNetworking = MigrationTable(
        library: "AFNetworking",
        counts: [
            "AFURLSessionManager": 24, "Block setters of AFURLSessionManager": 16, "Notifications": 6,
            "Keys of notifications": 6, "AFHTTPSessionManager": 18, "AFURLRequestSerialization": 4,
            "AFHTTPRequestQueryStringSerializationStyle": 2, "AFHTTPRequestSerializer": 20, "AFMultipartFormData": 8,
            "AFJSONRequestSerializer": 3, "AFPropertyListRequestSerializer": 4,
            "Functions and constants of requests": 6, "AFURLResponseSerialization": 4, "AFHTTPResponseSerializer": 6,
            "AFJSONResponseSerializer": 5, "AFXMLParserResponseSerializer": 1, "AFXMLDocumentResponseSerializer": 4,
            "AFPropertyListResponseSerializer": 5, "AFImageResponseSerializer": 3, "AFCompoundResponseSerializer": 3,
            "Functions and constants of responses": 4, "AFSSLPinningMode": 4, "AFSecurityPolicy": 12,
            "AFNetworkReachabilityStatus": 5, "AFNetworkReachabilityManager": 16,
            "Functions and constants of reachability": 3, "AFImageCache": 5, "AFImageRequestCache": 5,
            "AFAutoPurgingImageCache": 6, "AFImageDownloadPrioritization": 3, "AFImageDownloadReceipt": 3,
            "AFImageDownloader": 13, "AFNetworkActivityIndicatorManager": 9, "UIActivityIndicatorView": 1,
            "UIButton": 10, "UIImageView": 6, "UIProgressView": 2, "UIRefreshControl": 1, "WKWebView": 3,
            "Umbrella headers and macros": 6,
        ]
    )

    func entries() throws -> [Entry] {
        let file = Documentation.root.appending(path: "Tests/Migration/\(library).txt")
        var heading = ""
        var entries: [Entry] = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("    ") {
                entries[entries.count - 1].symbols.append(String(line.dropFirst(4)))
            } else if line.hasPrefix("### ") {
                heading = String(line.dropFirst(4))
            } else if !line.hasPrefix("## "), !line.hasPrefix("> ") {
                entries.append(Entry(heading: heading, text: String(line)))
            }
        }
        return entries
    }
}

@Suite("The migration guides")
struct MigrationGuideTests {
    @Test("The table has every public symbol once", arguments: MigrationTable.all)
    func counts(table: MigrationTable) throws {
        let entries = try table.entries()
        for (heading, count) in table.counts {
            let symbols = entries.filter { $0.heading == heading }.flatMap(\.symbols)
            #expect(symbols.count == count, "\(heading)")
            #expect(Set(symbols).count == count, "\(heading)")
        }
        #expect(entries.map(\.symbols.count).reduce(0, +) == table.counts.map(\.value).reduce(0, +))
    }

    @Test("Each symbol has a counterpart, or a reason for its absence", arguments: MigrationTable.all)
    func reasons(table: MigrationTable) throws {
        for entry in try table.entries() {
            #expect(!entry.symbols.isEmpty, "\(entry)")
            if entry.text.hasPrefix("None") {
                #expect(entry.text.hasPrefix("None: ") && entry.text.split(separator: " ").count > 3, "\(entry)")
            } else {
                #expect(entry.text.contains(/`[^`]+`/), "\(entry)")
            }
        }
    }

    @Test("The guide shows each symbol below its heading", arguments: MigrationTable.all)
    func symbols(table: MigrationTable) throws {
        let page = try #require(Documentation.page(table.page))
        let sections = page.text.components(separatedBy: "\n### ").dropFirst()
        for entry in try table.entries() {
            let section = try #require(sections.first { $0.hasPrefix("\(entry.heading)\n") }, "\(entry.heading)")
            for symbol in entry.symbols {
                #expect(section.contains("`\(symbol)`"), "\(symbol)")
            }
        }
    }
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

    @Test func pins() throws {
        let url = try #require(URL(string: "https://example.com"))
        #expect(try samples.pins(url, folder.url).securityPolicy.pinningMode == .publicKey)
    }
}
