import HTTPSyntax
import Larkspur

/// The colours of a terminal, or none.
struct Palette: Sendable, Equatable {
    enum Ink: String, Sendable {
        case name = "34"
        case string = "33"
        case number = "36"
        case word = "35"
        case status = "1"
        case success = "32"
        case redirection = "93"
        case failure = "31"
    }

    let isColored: Bool

    /// Returns a text in a colour. Without a colour, or if colours are turned off, returns the text unchanged.
    func paint(_ text: String, _ ink: Ink?) -> String {
        guard isColored, let ink, !text.isEmpty else { return text }
        return "\u{1B}[\(ink.rawValue)m\(text)\u{1B}[0m"
    }
    /// Appends bytes in a colour.
    func paint(_ bytes: ArraySlice<UInt8>, _ ink: Ink?, _ output: inout Data) {
        guard isColored, let ink, !bytes.isEmpty else {
            output += bytes
            return
        }
        output += Array("\u{1B}[\(ink.rawValue)m".utf8) + bytes + Array("\u{1B}[0m".utf8)
    }
}
