import Foundation
import Testing

@testable import LarkspurCommand

@Suite("JSON of items")
struct JSONTests {
    private func json(_ items: [String], _ kind: Invocation.ContentKind? = nil) throws(UsageError) -> String? {
        var parsed: [RequestItem] = []
        for item in items { parsed.append(try RequestItem(parsing: item)) }
        return try ItemContents(parsed, kind: kind).json()?.text
    }

    @Test(
        "Items become JSON that is nested by their keys",
        arguments: [
            (["a=b", "c:=1.50"], #"{"a": "b", "c": 1.50}"#), (["a=1", "a=2"], #"{"a": "2"}"#),
            (["z=1", "a=2"], #"{"z": "1", "a": "2"}"#), (["a[b]=c", "a[d]:=true"], #"{"a": {"b": "c", "d": true}}"#),
            (["a[]=1", "a[]=2"], #"{"a": ["1", "2"]}"#), (["a[2]=x"], #"{"a": [null, null, "x"]}"#),
            (["a[0][b]=x", "a[0][c]=y"], #"{"a": [{"b": "x", "c": "y"}]}"#), (["[]=1", "[]:=2"], #"["1", 2]"#),
            (["[0][a]=x"], #"[{"a": "x"}]"#), ([#"a\[b\]=c"#], #"{"a[b]": "c"}"#),
            ([#"a[\1]=c"#], #"{"a": {"1": "c"}}"#),
            (["=x"], #"{"": "x"}"#), (["a[b][c][d]=e"], #"{"a": {"b": {"c": {"d": "e"}}}}"#),
            (["a:={\"b\":[1,null,\"\\u00e9\\n\"]}"], #"{"a": {"b": [1, null, "\u00e9\n"]}}"#),
            (["a:={}", "a[b]=c"], #"{"a": {"b": "c"}}"#), (["a=é😀\u{7F}"], #"{"a": "\u00e9\ud83d\ude00\u007f"}"#),
            (["a[\u{301}b]=c"], #"{"a": {"\u0301b": "c"}}"#), (["1=a"], #"{"1": "a"}"#),
            (["a[1]=x", "a[0]=y"], #"{"a": ["y", "x"]}"#),
        ]
    )
    func nested(items: [String], text: String) throws {
        #expect(try json(items) == text)
    }

    @Test("Without data items there is no JSON")
    func none() throws { #expect(try json(["A:b", "c==d"]) == nil) }

    @Test(
        "Contradictory keys and invalid JSON values are errors",
        arguments: [
            ["a=1", "a[b]=2"], ["a[]=1", "a[b]=2"], ["a[b]=1", "a[]=2"], ["a[b=1"], ["a]=1"], ["a[b]c=1"], ["a[-1]=1"],
            ["a[100001]=1"], ["[a]=1"], ["a:=b"], ["a:={"], ["a:=[1,]"], ["a:=01"], ["a:=\"\u{1}\""], ["a:="],
            ["a:=1 2"],
            ["a:=\"\\x\""], ["a:=1."], ["a:=-"], ["a:=truex"], ["[]=1", "a=2"],
            ["a:=" + String(repeating: "[", count: 600) + String(repeating: "]", count: 600)],
        ]
    )
    func errors(items: [String]) {
        #expect(throws: UsageError.self) { try json(items) }
    }

    @Test("A form cannot contain arrays, objects and null", arguments: ["a:=[]", "a:={}", "a:=null"])
    func forms(item: String) throws {
        #expect(throws: UsageError.self) { try json([item], .form) }
        let items = [
            try RequestItem(parsing: "a:=1.50"), try RequestItem(parsing: "b:=true"), try RequestItem(parsing: "c=d e"),
        ]
        let contents = try ItemContents(items, kind: .form)
        #expect(FormEncoding.text(of: contents.formFields) == "a=1.50&b=True&c=d+e")
    }

    @Test(
        "Formatted JSON keeps the order and the digits",
        arguments: [
            (#"{"b":1.0,"a":[]}"#, "{\n    \"b\": 1.0,\n    \"a\": []\n}"), ("[ ]", "[]"), ("{ }", "{}"), (" 1 ", "1"),
            (#"[1,{"a":null}]"#, "[\n    1,\n    {\n        \"a\": null\n    }\n]"), (#""x""#, #""x""#),
        ]
    )
    func formatting(text: String, formatted: String) {
        #expect(layout(text) == formatted)
        #expect(layout(text, keepsLayout: true) == String(text.trimmedEnd))
    }

    private func layout(_ text: String, keepsLayout: Bool = false, isColored: Bool = false) -> String? {
        let formatter = JSONFormatter(palette: Palette(isColored: isColored))
        var output = Data()
        let write = { (chunk: Data) in output += chunk }
        let isJSON = keepsLayout ? formatter.paint(text, write: write) : formatter.format(text, write: write)
        #expect(isJSON || output.isEmpty)
        return isJSON ? String(decoding: output, as: UTF8.self) : nil
    }

    @Test("Names and values are in colours")
    func colors() {
        #expect(
            layout(#"{"a":1}"#, keepsLayout: true, isColored: true)
                == "{\u{1B}[34m\"a\"\u{1B}[0m:\u{1B}[36m1\u{1B}[0m}"
        )
    }

    @Test(
        "Invalid JSON is not formatted",
        arguments: ["", "{", "[1,]", "{\"a\"}", "nul", "[1]]", "{\"a\":1,}", "'a'"]
    )
    func noJSON(text: String) {
        #expect(layout(text, isColored: true) == nil)
    }

    @Test(
        "The output for deeply nested JSON has a limited length, and is written in chunks",
        arguments: [
            ("[", "1,", "1", "]"), ("{\"a\":", "[],", "1", "}"), ("[{\"a\":", "{\"b\":1},", "[]", "}]"),
            ("[[[", "\"\",", "0", "]]]"),
        ],
        [1, 20, 21, 150, 500]
    )
    func nesting(shape: (open: String, unit: String, last: String, close: String), depth: Int) throws {
        let count = depth / shape.open.count { "[{".contains($0) }
        let unit = String(repeating: shape.unit, count: 60_000)
        let text =
            String(repeating: shape.open, count: count) + "[" + unit + shape.last + "]"
            + String(repeating: shape.close, count: count)
        var (length, longest) = (0, 0)
        let isJSON = JSONFormatter(palette: Palette(isColored: false)).format(text) { chunk in
            length += chunk.count
            longest = max(longest, chunk.count)
        }
        #expect(isJSON)
        // An element of two bytes, and a bracket, get a line break and blanks up to the width of a terminal.
        let line = 2 + 1 + 80
        #expect(length <= text.utf8.count * line / 2 + 2 * depth * line)
        #expect(longest <= JSONFormatter.chunkLength + 100)
    }
}

extension String {
    fileprivate var trimmedEnd: Substring {
        var rest = self[...]
        while rest.last == " " { rest.removeLast() }
        return rest
    }
}
