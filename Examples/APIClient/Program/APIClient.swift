import Larkspur
import Shelf

/// A program that uses a client of a small API: typed calls, a retry, a token that is refreshed, and pages.
///
///     swift run APIClient              against an embedded server, which fails now and then on purpose
///     swift run APIClient URL TOKEN    against a server of yours
///
/// The status is 1 if a call fails.
@main
enum APIClient {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            switch arguments.count {
            case 0:
                let server = try ShelfServer()
                try await tour(server.baseURL, OAuth2Credential(accessToken: "old", refreshToken: "refresh"))
            case 2:
                guard let url = arguments.first.flatMap({ URL(string: $0) }), let token = arguments.last else {
                    fallthrough
                }
                try await tour(url, OAuth2Credential(accessToken: token))
            default:
                FileHandle.standardError.write(Data("usage: APIClient [URL TOKEN]\n".utf8))
                exit(64)
            }
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }

    private static func tour(_ url: URL, _ token: OAuth2Credential) async throws {
        let shelf = Shelf(url, token: token, clientID: "reader") { _ in print("   the token was refreshed") }

        print("One book:")
        print("   \(try await shelf.book(1).title)")

        print("A new one:")
        let added = try await shelf.add(BookDraft(title: "Notes on the Analytical Engine", pageCount: 66))
        print("   number \(added.id), \(added.title)")

        print("All books, page by page:")
        for try await page in shelf.books() {
            print("   \(page.map(\.title).joined(separator: ", "))")
        }

        print("Two at once:")
        async let first = shelf.book(1)
        async let second = shelf.book(2)
        print("   \(try await first.pageCount + second.pageCount) pages")

        print("One that is not there:")
        do {
            print("   \(try await shelf.book(99).title)")
        } catch ShelfError.notFound {
            print("   no such book")
        }
    }
}
