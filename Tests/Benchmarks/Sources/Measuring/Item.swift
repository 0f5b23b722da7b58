#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The value that is decoded, or one of the elements of the array that is decoded.
package struct Item: Codable, Sendable {
    package var id: Int
    package var name: String
    package var isActive: Bool
    package var score: Double
    package var tags: [String]
}

/// The decoder that all responses share.
private let decoder = JSONDecoder()

extension Options.Workload {
    /// Whether the content of responses is decoded.
    package var decodes: Bool { self == .value || self == .items }

    /// Decodes the content of a response, and returns what is wrong with it, if anything.
    package func failure(in content: Data) throws -> String? {
        switch self {
        case .value: try decoder.decode(Item.self, from: content).name.isEmpty ? "no name" : nil
        case .items: try decoder.decode([Item].self, from: content).isEmpty ? "no items" : nil
        default: nil
        }
    }
}
