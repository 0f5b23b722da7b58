#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Validators of downloads")
struct DownloadValidatorTests {
    private static let day = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let secondLater = "Sun, 06 Nov 1994 08:49:38 GMT"

    static let cases: [(tag: String?, modified: String?, date: String?, validator: DownloadValidator?)] = [
        ("\"a\"", nil, nil, .entityTag("\"a\"")),
        ("\"\"", day, secondLater, .entityTag("\"\"")),
        ("W/\"a\"", nil, nil, nil),
        // Where there is a tag, no date counts.
        ("W/\"a\"", day, secondLater, nil),
        ("a", nil, nil, nil),
        ("\"", nil, nil, nil),
        ("\"a\" b\"", nil, nil, nil),
        (nil, day, secondLater, .lastModified(day)),
        (nil, day, day, nil),
        (nil, secondLater, day, nil),
        (nil, day, nil, nil),
        (nil, nil, day, nil),
        (nil, "yesterday", day, nil),
        (nil, nil, nil, nil),
    ]

    @Test(
        "A strong entity tag is a validator, and else a date that is a second older than the response",
        arguments: cases
    )
    func strength(_ test: (tag: String?, modified: String?, date: String?, validator: DownloadValidator?)) {
        #expect(
            DownloadValidator(entityTag: test.tag, lastModified: test.modified, date: test.date) == test.validator
        )
    }

    @Test("A part is of the same version if it has the same entity tag, or no other date")
    func agreement() {
        let tag = DownloadValidator.entityTag("\"a\"")
        #expect(tag.agrees(withEntityTag: "\"a\"", lastModified: Self.day))
        #expect(!tag.agrees(withEntityTag: "\"b\"", lastModified: nil))
        #expect(!tag.agrees(withEntityTag: "W/\"a\"", lastModified: nil))
        #expect(!tag.agrees(withEntityTag: nil, lastModified: nil))
        let date = DownloadValidator.lastModified(Self.day)
        #expect(date.agrees(withEntityTag: nil, lastModified: Self.day))
        #expect(date.agrees(withEntityTag: nil, lastModified: nil))
        #expect(!date.agrees(withEntityTag: nil, lastModified: Self.secondLater))
        #expect(!date.agrees(withEntityTag: "\"a\"", lastModified: Self.day))
    }
}
#endif
