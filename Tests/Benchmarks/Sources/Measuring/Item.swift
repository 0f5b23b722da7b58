/// One of the elements of the JSON array that is decoded.
package struct Item: Codable, Sendable {
    package var id: Int
    package var name: String
    package var isActive: Bool
    package var score: Double
    package var tags: [String]
}
