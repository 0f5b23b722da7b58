import HTTPSyntax
import Testing

@Suite("Content-Type fields") struct ContentTypeFieldTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let effective: String

        init(_ field: String, _ effective: String) {
            testDescription = field
            self.effective = effective
        }
    }

    @Test(
        "Of several values, the last valid one is used, with an earlier charset of the same type",
        arguments: [
            Row("text/html", "text/html"), Row(" text/html ; charset=utf-8", " text/html ; charset=utf-8"),
            Row("nonsense", "nonsense"), Row("", ""), Row(",", ","), Row("nonsense, */*", "nonsense, */*"),
            Row("text/html, application/json", "application/json"),
            Row("application/json,application/json", "application/json"),
            Row("application/json, nonsense", "application/json"), Row("application/json, ", "application/json"),
            Row("application/json, */*", "application/json"), Row("application/json, text/", "application/json"),
            Row("application/json, /json", "application/json"), Row("text/html, a b/c", "text/html"),
            Row("text/plain; charset=gbk, text/plain", "text/plain; charset=gbk"),
            Row("text/plain; charset=gbk, TEXT/Plain; a=b", "TEXT/Plain; a=b; charset=gbk"),
            Row("text/plain; charset=gbk, text/plain, text/plain", "text/plain; charset=gbk"),
            Row("text/plain; charset=gbk, text/plain; charset=utf-8", "text/plain; charset=utf-8"),
            Row("text/plain; charset=gbk, text/html", "text/html"),
            Row("text/plain; charset=gbk, text/html, text/plain", "text/plain"),
            Row("text/plain; charset=\"a b\", text/plain", "text/plain"),
            Row("multipart/mixed; boundary=\"a,b/c\"", "multipart/mixed; boundary=\"a,b/c\""),
            Row("text/html, multipart/mixed; boundary=\"a,b/c\"", "multipart/mixed; boundary=\"a,b/c\""),
            Row("text/html;\", text/plain", "text/html;\", text/plain"),
        ]
    )
    func effective(row: Row) {
        #expect(ContentTypeField.effective(row.testDescription) == row.effective)
        #expect(ContentTypeField.effective(row.effective) == row.effective)
    }
}
