import Testing

@testable import Larkspur

@Suite("The changelog")
struct ChangelogTests {
    @Test("The changelog's first version is that of the package")
    func version() throws {
        let page = try #require(Documentation.page("Changelog.md"))

        let versions = page.lines.compactMap { line in
            line.prefixMatch(of: /## (\d+\.\d+\.\d+) \(/).map { String($0.output.1) }
        }

        #expect(versions.first == LarkspurVersion.current)
    }
}
