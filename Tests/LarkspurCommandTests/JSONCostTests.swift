import Foundation
import TestSupport
import Testing

@testable import LarkspurCommand

/// JSON of every shape: its layout costs as much as it is long.
@Suite("Costs of formatting JSON", .enabled(if: Growth.isMeasured), .serialized, .timeLimit(.minutes(5)))
struct JSONCostTests {
    @Test(
        "Valid JSON is formatted in linear time",
        arguments: [
            "1", "\"\"", "[]", "{}", "null", "\"\\u00e9\"", "\"é\"", "[[]]", "{\"a\":{}}", " 1 ", "-1.5e9",
            "\"\u{1F600}\u{301}\"",
        ],
        [0, 1, 19, 500]
    )
    func valid(unit: String, depth: Int) {
        let texts = { (size: Int) in
            let elements = Array(repeating: unit, count: size / unit.utf8.count).joined(separator: ",")
            return String(repeating: "[", count: depth) + "[" + elements + "]" + String(repeating: "]", count: depth)
        }
        for isColored in [false, true] {
            let formatter = JSONFormatter(palette: Palette(isColored: isColored))
            #expect(Growth.factor(of: texts, upTo: 1 << 18) { _ = formatter.format($0) { _ in } } < Growth.linear)
            #expect(Growth.factor(of: texts, upTo: 1 << 18) { _ = formatter.paint($0) { _ in } } < Growth.linear)
        }
    }

    @Test(
        "Invalid JSON is refused in linear time",
        arguments: ["[", "{\"\":", "\"", "\\", "1", " ", "tru", "é", "[],", "-", "\u{0}"]
    )
    func invalid(unit: String) {
        let texts = { (size: Int) in "[" + String(repeating: unit, count: size / unit.utf8.count) }
        let formatter = JSONFormatter(palette: Palette(isColored: true))
        #expect(Growth.factor(of: texts) { _ = formatter.format($0) { _ in } } < Growth.linear)
    }
}
