import Foundation
import Testing

@testable import Larkspur

@Suite("The changelog")
struct ChangelogTests {
    private let page: Documentation.Page
    /// The headings of the versions, the newest first.
    private let headings: [(version: String, date: String)]

    init() throws {
        page = try #require(Documentation.page("Changelog.md"))
        headings = page.lines.compactMap { line in
            line.wholeMatch(of: /## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)/).map { (String($0.1), String($0.2)) }
        }
    }

    @Test("The changelog's first released version is that of the package, and each released version has a date")
    func version() throws {
        // A version that is not released yet may come first.
        let sections = page.lines.filter { $0.hasPrefix("## ") && !$0.hasSuffix(" (unreleased)") }.dropFirst()

        #expect(headings.first?.version == LarkspurVersion.current)
        #expect(headings.count == sections.count)
        for heading in headings {
            #expect(throws: Never.self, "\(heading)") {
                try Date(heading.date, strategy: .iso8601.year().month().day())
            }
        }
    }

    @Test("The list at the top links to each version")
    func links() {
        for (version, date) in headings {
            #expect(page.lines.contains("- [\(version)](#\(version.replacing(".", with: ""))-\(date))"))
        }
    }

    @Test("Each page that names the version of Larkspur names the present one")
    func pages() throws {
        // The output of `larkspur doctor`, and the line of a manifest, which the release script writes.
        let report = /^larkspur +(\d+\.\d+\.\d+)$/.anchorsMatchLineEndings()
        let dependency = /\.package\(url: "[^"]*\/[Ll]arkspur(?:\.git)?", from: "(\d+\.\d+\.\d+)"\)/
        var reports = 0
        for page in Documentation.pages {
            let reported = page.text.matches(of: report).map { String($0.1) }
            let required = page.text.matches(of: dependency).map { String($0.1) }
            #expect((reported + required).allSatisfy { $0 == LarkspurVersion.current }, "\(page.name)")
            reports += reported.count
        }
        #expect(reports > 0)
    }

    @Test("The Swift Package Index builds the documentation of each library with an API")
    func packageIndex() throws {
        let root = Documentation.root
        let settings = try String(contentsOf: root.appending(path: ".spi.yml"), encoding: .utf8)
        let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)

        // LarkspurStatic has nothing to import.
        let libraries = manifest.matches(of: /\.library\(name: "(\w+)"/).map { String($0.1) }
            .filter { $0 != "LarkspurStatic" }
        let targets = settings.matches(of: /- (Larkspur\w*)/).map { String($0.1) }

        #expect(libraries.count > 5)
        #expect(targets.sorted() == libraries.sorted())
    }
}
