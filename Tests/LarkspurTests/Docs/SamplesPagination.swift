import Larkspur

/// The samples of `Docs/Async.md` about pages, each between two markers; what they print is noted.
struct PaginationSamples: Sendable {
    let manager: SessionManager
    let output = Recorder<String>()

    private func print(_ item: Any) { output.record("\(item)") }

    func links() async throws {
        // sample: pages by links
        nonisolated struct User: Decodable, Sendable {
            var name: String
        }

        for try await users in manager.pages("users", parameters: ["per_page": 100], as: [User].self, by: .links) {
            for user in users { print(user.name) }
        }
        // end
    }

    func others() async throws {
        // sample: pages by cursor and number
        nonisolated struct Batch: Decodable, Sendable {
            var items: [String]
            var next: String?
        }

        for try await batch in manager.pages("items", as: Batch.self, by: .cursor("after") { $0.next }) {
            print(batch.items)
        }
        for try await batch in manager.pages("numbered", as: Batch.self, by: .number(until: { $0.items.isEmpty })) {
            print(batch.items)
        }
        // end
    }
}
