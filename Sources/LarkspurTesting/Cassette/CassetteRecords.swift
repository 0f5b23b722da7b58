internal import Foundation
internal import HTTPSyntax

/// The interactions of a cassette, and which of them were replayed.
struct CassetteRecords: Sendable {
    private(set) var interactions: [Interaction] = []
    private let matching: CassetteMatching
    /// The positions of the interactions for each key, in the order of recording.
    private var positions: [CassetteMatching.Key: [Int]] = [:]
    /// For each key, the number of interactions that were replayed or are new.
    private var used: [CassetteMatching.Key: Int] = [:]

    init(_ interactions: [Interaction], _ matching: CassetteMatching) {
        self.matching = matching
        for interaction in interactions { append(interaction) }
    }

    /// Adds a new interaction. It is not replayed.
    mutating func record(_ interaction: Interaction) {
        used[append(interaction), default: 0] += 1
    }

    @discardableResult
    private mutating func append(_ interaction: Interaction) -> CassetteMatching.Key {
        let key = matching.key(of: interaction.request)
        positions[key, default: []].append(interactions.count)
        interactions.append(interaction)
        return key
    }

    /// Returns the next response to a request; nil if there is none.
    mutating func next(for request: Interaction.Request) -> Interaction.Response? {
        let key = matching.key(of: request)
        guard let positions = positions[key] else { return nil }
        let index = used[key, default: 0]
        guard index < positions.count || matching.repeatsLast else { return nil }
        used[key] = index + 1
        return interactions[positions[min(index, positions.count - 1)]].response
    }

    /// Returns the text of the error for a request without a response.
    func sentence(for request: Interaction.Request, file: String) -> String {
        let target = "\(request.method) \(request.url)".onOneLine
        if let count = positions[matching.key(of: request)]?.count {
            let number = count == 1 ? "once" : "\(count) times"
            return "The cassette \(file) has no further response to \(target), which was recorded \(number)."
        }
        // Computing differences takes time, so it is done for the most similar interactions only.
        let likely = Nearness.nearest(20, of: interactions.enumerated()) { entry in
            Nearness.distance(entry.element.request.url, request.url)
                + (entry.element.request.method == request.method ? 0 : 4)
        }
        let nearest = Nearness.nearest(1, of: likely) { matching.distance(request, $0.element.request) }.first
        guard let nearest else { return "The cassette \(file) has no response to \(target): it is empty." }
        let differences = matching.differences(of: request, from: nearest.element.request)
        let recorded = "\(nearest.element.request.method) \(nearest.element.request.url)".onOneLine
        return "The cassette \(file) has no response to \(target). The nearest is that to \(recorded) "
            + "(number \(nearest.offset + 1)), but \(differences.joined(separator: "; "))."
    }
}
