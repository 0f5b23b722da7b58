import Foundation
import Testing

@testable import LarkspurTesting

@Suite("Documentation")
struct DocumentationSamplesTests {
    @Test("Each sample in the sources is shown on a page")
    func everySampleIsShown() {
        #expect(Documentation.pages.map(\.name).contains("GettingStarted.md"))
        #expect(Documentation.samples.count > 40)
        #expect(Set(Documentation.samples.map(\.name)).count == Documentation.samples.count)
        let shown = Documentation.pages.flatMap(\.blocks).compactMap { Documentation.sample(for: $0.lines)?.name }
        for sample in Documentation.samples {
            #expect(shown.contains(sample.name), "\(sample.file): \(sample.name) is on no page")
        }
    }

    @Test("Each Swift block of a page is compiled, and each block has a known language", arguments: Documentation.pages)
    func everyBlockIsCompiled(page: Documentation.Page) {
        for block in page.blocks {
            // Programs are built by Tests/Programs/check.py.
            let guides = ["Programs.md", "Cookbook.md", "UntrustedURLs.md", "README.md"]
            let programs = guides.contains(page.name) ? ["swift-program"] : []
            #expect((["swift", "swift-manifest", "sh", "text"] + programs).contains(block.info), "\(block.lines)")
            guard block.info == "swift" else { continue }
            #expect(
                Documentation.sample(for: block.lines) != nil,
                "No sample in Tests/LarkspurTests/Docs reads:\n\(block.lines.joined(separator: "\n"))"
            )
        }
    }

    @Test("There are thirteen whole programs, each under a heading that the page's list links to")
    func programs() throws {
        let page = try #require(Documentation.page("Programs.md"))
        let sections = page.text.components(separatedBy: "\n## ").dropFirst()
        let programs = sections.filter { $0.contains("\n```swift-program\nimport Larkspur\n") }
        #expect(programs.count == 13)
        #expect(page.blocks.count == 13)
        for section in sections {
            let heading = section.prefix { $0 != "\n" }
            #expect(page.lines.contains { $0.hasPrefix("- [\(heading)](#") }, "\(heading)")
        }
    }

    @Test("A block counts as compiled only if a sample has exactly its lines")
    func matching() {
        let source = "import A\n// sample: one\nif a {\n    b()\n\n    c()\n}\n// end\n"
        let samples = Documentation.samples(in: source, of: "Samples.swift")

        func isCompiled(_ lines: String...) -> Bool { Documentation.sample(for: lines, among: samples) != nil }

        #expect(isCompiled("  if a {", "      b()", "      c()", "  }"))
        #expect(isCompiled("import A", "", "if a {", "b()", "c()", "}"))
        #expect(!isCompiled("import B", "if a {", "b()", "c()", "}"))
        #expect(!isCompiled("if a {", "b()", "}"))
        #expect(!isCompiled("b()"))
        #expect(!isCompiled("if a {", "b()", "d()", "c()", "}"))
    }

    @Test("Every error code is in the guide")
    func everyErrorIsInTheGuide() throws {
        let guide = try #require(Documentation.page("Responses.md"))
        let source = try #require(
            Documentation.sources(below: "Sources/Larkspur/Errors").first { $0.name == "LarkspurErrorCode.swift" }
        )
        let codes = source.text.matches(of: /static let (\w+) = Self\(\s*label: "([a-z-]+)"/)
            .map { "`\($0.output.1)` (`\($0.output.2)`)" }
        #expect(codes.count > 15)
        #expect(codes.count == source.text.matches(of: /label: "[a-z]/).count)

        let list = try #require(guide.text.components(separatedBy: "\n## Error codes\n").last)
        let documented = list.matches(of: /`\w+` \(`[a-z-]+`\)/).map { String($0.output) }

        #expect(documented.sorted() == codes.sorted())
    }

    @Test("Every error code and every option of WebSockets is in their guide")
    func webSocketGuideIsComplete() throws {
        let guide = try #require(Documentation.page("WebSockets.md"))
        let source = try #require(
            Documentation.sources(below: "Sources/LarkspurTransport/WebSocket")
                .first { $0.name == "WebSocketTask+Values.swift" }
        )
        let kinds = source.text.matches(of: /static let (\w+) = Kind\(/).map { $0.output.1 }
        let start = try #require(source.text.range(of: "struct WebSocketOptions"))
        let end = try #require(source.text[start.upperBound...].range(of: "public init()"))
        let options = source.text[start.upperBound..<end.lowerBound].matches(of: /public var (\w+)/)

        func names(below heading: String) -> [Substring] {
            guide.items(below: heading).compactMap { $0.firstMatch(of: /^`(\w+)`:/)?.output.1 }
        }
        let errors = names(below: "## Errors")
        #expect(kinds.count > 4)
        #expect(Array(errors.prefix(kinds.count)) == kinds)
        #expect(options.count > 4)
        #expect(names(below: "## Options") == options.map { $0.output.1 })
    }

    @Test("Every fault is in the testing guide, by its outcome, and its doc comment describes it")
    func everyFaultIsInTheGuide() throws {
        let guide = try #require(Documentation.page("Testing.md"))

        func item(_ outcome: String, _ names: [String]) -> String {
            "\(outcome): " + names.map { "`\($0)`" }.joined(separator: ", ")
        }
        let outcomes: [(LoopbackServer.Fault.Outcome, String)] = [
            (.response, "a response"), (.failure, "failure"), (.endless, "no end"),
        ]
        let faults = outcomes.map { outcome, words in
            item(words, LoopbackServer.Fault.allCases.filter { $0.outcome == outcome }.map(\.rawValue))
        }
        #expect(guide.items(below: "## Faults") == faults)
        let webSocketOutcomes: [(LoopbackServer.WebSocketFault.Outcome, String)] = [
            (.refusal, "refusal"), (.failure, "failure"), (.endless, "no end"),
        ]
        let webSocketFaults = webSocketOutcomes.map { outcome, words in
            item(words, LoopbackServer.WebSocketFault.allCases.filter { $0.outcome == outcome }.map(\.rawValue))
        }
        #expect(guide.items(below: "## WebSocket") == webSocketFaults)

        let sources = Documentation.sources(below: "Sources/LarkspurTesting/LoopbackServer")
            .filter { $0.name.hasSuffix("Fault.swift") }
        let described = sources.flatMap { $0.text.matches(of: /\/\/\/ .*\n +case (\w+)/) }.map { String($0.output.1) }
        let cases =
            LoopbackServer.Fault.allCases.map { "\($0)" } + LoopbackServer.WebSocketFault.allCases.map { "\($0)" }
        #expect(cases.allSatisfy(described.contains))
    }

    @Test("Every built-in route is in the testing guide once")
    func everyRouteIsInTheGuide() throws {
        let items = try #require(Documentation.page("Testing.md")).items(below: "## Built-in routes")

        let routes = items.flatMap { $0.matches(of: /`(\/[^`]+)`/) }.map { String($0.output.1) }

        let paths = BuiltInRoutes().all.map(\.path).filter {
            !$0.hasPrefix("/fault/") && !$0.hasPrefix("/websocket/fault/")
        }
        #expect(routes.sorted() == paths.sorted())
    }

    @Test(
        "Every test of AFNetworking has its row in the table",
        arguments: [
            ("AFURLSessionManagerTests", 32), ("AFHTTPSessionManagerTests", 41),
            ("AFHTTPRequestSerializationTests", 16),
            ("AFHTTPResponseSerializationTests", 7), ("AFJSONSerializationTests", 16),
            ("AFPropertyListRequestSerializerTests", 2), ("AFPropertyListResponseSerializerTests", 5),
            ("AFXMLParserResponseSerializerTests", 5), ("AFXMLDocumentResponseSerializerTests", 6),
            ("AFCompoundResponseSerializerTests", 3), ("AFSecurityPolicyTests", 46),
            ("AFUIActivityIndicatorViewTests", 3), ("AFUIRefreshControlTests", 3), ("AFUIButtonTests", 3),
            ("AFUIImageViewTests", 7), ("AFWKWebViewTests", 4),
            ("AFNetworkReachabilityManagerTests", 9), ("AFNetworkActivityManagerTests", 5),
            ("AFAutoPurgingImageCacheTests", 16), ("AFImageDownloaderTests", 19),
            ("AFImageResponseSerializerTests", 4),
        ]
    )
    func everyRow(suite: String, count: Int) throws {
        let page = try #require(Documentation.page("Tests/Conformance.md"))

        let rows = page.rows(below: "### \(suite)")

        #expect(rows.count == count)
        #expect(Set(rows.map(\.first)).count == count)
        #expect(rows.allSatisfy { $0.count == 3 && ["P", "N", "A", "X"].contains($0[1]) && !$0[2].isEmpty })
    }

    @Test("The tables list all 252 tests of AFNetworking, with a test or a reason for each")
    func total() throws {
        let page = try #require(Documentation.page("Tests/Conformance.md"))
        let rows = page.rows().filter { $0.count == 3 && $0[0].hasPrefix("test") }

        #expect(rows.count == 252)
        for row in rows {
            let namesTest = row[2].contains(/`\w+Tests\.\w+`/)
            let isAllowed =
                switch row[1] {
                case "P", "N": namesTest
                case "A", "X": namesTest || row[2].hasPrefix("None")
                default: false
                }
            #expect(isAllowed, "\(row)")
        }
    }

    @Test(
        "The table lists every test of Alamofire's suites, with a test or a reason for each",
        arguments: [
            ("DataResponseSerializationTestCase", 28), ("StaticSerializationTests", 7),
            ("URLResponseSerializerTests", 3), ("DecodableResponseSerializerTests", 13),
            ("DownloadResponseSerializationTestCase", 26), ("CustomResponseSerializerTests", 1),
            ("DataPreprocessorSerializationTests", 8), ("DataPreprocessorTests", 3), ("StaticDataPreprocessorTests", 2),
            ("StatusCodeValidationTestCase", 3), ("ContentTypeValidationTestCase", 6),
            ("MultipleValidationTestCase", 3), ("AutomaticValidationTestCase", 5), ("CustomValidationTestCase", 4),
            ("RetryPolicyTestCase", 8), ("ConnectionLostRetryPolicyTestCase", 2),
            ("AuthenticationInterceptorTestCase", 31), ("RetryResultTests", 3), ("AdapterTests", 4),
            ("RetrierTests", 3), ("InterceptorTests", 16), ("InterceptorRequestTests", 1), ("StaticAccessorTests", 5),
            ("CachedResponseHandlerTestCase", 7), ("StaticCachedResponseHandlerTests", 3),
            ("RedirectHandlerTestCase", 7), ("StaticRedirectHandlerTests", 3), ("JSONParameterEncoderTests", 5),
            ("SortedKeysJSONParameterEncoderTests", 1), ("URLEncodedFormParameterEncoderTests", 5),
            ("URLEncodedFormEncoderTests", 73), ("StaticParameterEncoderInstanceTests", 2), ("DataStreamTests", 15),
            ("DataStreamSerializationTests", 5), ("DataStreamIntegrationTests", 7), ("DataStreamLifetimeEvents", 1),
            ("DataRequestConcurrencyTests", 14), ("DownloadConcurrencyTests", 13), ("DataStreamConcurrencyTests", 10),
            ("UploadConcurrencyTests", 1), ("WebSocketConcurrencyTests", 2), ("ClosureAPIConcurrencyTests", 1),
            ("MultipartFormDataPropertiesTestCase", 2), ("MultipartFormDataEncodingTestCase", 7),
            ("MultipartFormDataWriteEncodedDataToDiskTestCase", 8), ("MultipartFormDataFailureTestCase", 7),
            ("HTTPHeadersTests", 6),
        ]
    )
    func alamofireRows(type: String, count: Int) throws {
        let page = try #require(Documentation.page("Tests/Conformance.md"))

        // One level below those of AFNetworking's suites and of the files.
        let rows = page.rows(below: "#### \(type)")

        #expect(rows.count == count)
        #expect(Set(rows.map(\.first)).count == count)
        for row in rows {
            let namesTest = row.last?.contains(/`\w+Tests\.\w+`/) == true
            #expect(row.count == 2 && (namesTest || row.last?.hasPrefix("None: ") == true), "\(row)")
        }
    }

    @Test("The guide of conformance has the numbers of the tables' tests, and of those that Larkspur tests too")
    func conformanceSummary() throws {
        let guide = try #require(Documentation.page("Conformance.md"))
        let rows = try #require(Documentation.page("Tests/Conformance.md")).rows()
        // Tables of AFNetworking's suites have a mark for each test, and those of Alamofire's come after them.
        let marked = rows.filter { $0.count == 3 }
        let others = rows.filter { $0.count == 2 }
        let cases = others.filter { $0[1].hasPrefix("`ClientConformanceTests.") }

        func count(_ rows: [[String]]) -> Int { rows.count { $0.last?.hasPrefix("None") == false } }

        #expect(guide.text.contains("all \(marked.count) tests. Larkspur tests the same for \(count(marked)) of them"))
        let alamofire = (others.count - cases.count, count(others) - cases.count)
        #expect(guide.text.contains("12 suites with \(alamofire.0) tests, of which Larkspur tests \(alamofire.1)"))
        #expect(guide.text.contains("the \(cases.count) cases"))
    }

    @Test(
        "Every test that a page names exists",
        arguments: [
            ("Tests/Conformance.md", 80), ("Tests/LarkspurTransportTests/Differences.md", 150),
            ("Tests/LarkspurTransportTests/Cache/Rules.md", 30), ("Tests/Interop/ReachabilityEvents.md", 10),
            ("Tests/Reliability/Cases.md", 100), ("Tests/Reliability/Trials.md", 60),
            ("Tests/Reliability/README.md", 0),
        ]
    )
    func everyNamedTestExists(name: String, minimum: Int) throws {
        let page = try #require(Documentation.page(name))

        let names = page.text.matches(of: /`(\w+Tests)\.(\w+)`/).map {
            (String($0.output.1), String($0.output.2))
        }

        #expect(names.count > minimum)
        for (suite, function) in names {
            #expect(Self.tests[suite]?.contains(function) == true, "\(suite).\(function)")
        }
    }

    /// The names of the functions of each suite below Tests.
    private static let tests: [String: Set<String>] = {
        var tests: [String: Set<String>] = [:]
        for source in Documentation.sources(below: "Tests") {
            for declaration in source.text.components(separatedBy: "\n}\n") where declaration.contains("@Test") {
                // A suite may stand in an extension of another one, or continue in an extension of its own.
                let type = declaration.firstMatch(of: /struct (\w+Tests) {/)
                let suite = type ?? declaration.firstMatch(of: /extension (\w+Tests) {/)
                guard let suite = suite?.output.1 else { continue }
                let functions = declaration.matches(of: /func (\w+)\(/).map { String($0.output.1) }
                tests[String(suite), default: []].formUnion(functions)
            }
        }
        return tests
    }()
}
