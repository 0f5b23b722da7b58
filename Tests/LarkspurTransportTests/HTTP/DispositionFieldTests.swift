import HTTPSyntax
import TestSupport
import Testing

@Suite("The Content-Disposition of a response")
struct DispositionFieldTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let field: String
        let name: String?

        init(_ rule: String, _ field: String, _ name: String?) {
            (testDescription, self.field, self.name) = (rule, field, name)
        }
    }

    /// The cases of the collection by Julian Reschke, under the names that they have there.
    ///
    /// Two have a name here that the grammar of RFC 6266 alone does not give: `attwithasciifilenamenqs` and
    /// `attemptyparam` have empty parameters, which RFC 9110 (section 5.6.6) allows. `attwithfn2231utf8-bad` has none,
    /// as it has octets of control characters, so that its charset is a mistake.
    @Test(
        "The test cases for RFC 6266 and RFC 8187 are read",
        arguments: [
            Row("inlonly", "inline", nil),
            Row("inlonlyquoted", #""inline""#, nil),
            Row("inlwithasciifilename", #"inline; filename="foo.html""#, "foo.html"),
            Row("inlwithfnattach", #"inline; filename="Not an attachment!""#, "Not an attachment!"),
            Row("inlwithasciifilenamepdf", #"inline; filename="foo.pdf""#, "foo.pdf"),
            Row("attonly", "attachment", nil),
            Row("attonlyquoted", #""attachment""#, nil),
            Row("attonlyucase", "ATTACHMENT", nil),
            Row("attwithasciifilename", #"attachment; filename="foo.html""#, "foo.html"),
            Row(
                "attwithasciifilename25",
                #"attachment; filename="0000000000111111111122222""#,
                "0000000000111111111122222"
            ),
            Row(
                "attwithasciifilename35",
                #"attachment; filename="00000000001111111111222222222233333""#,
                "00000000001111111111222222222233333"
            ),
            Row("attwithasciifnescapedchar", #"attachment; filename="f\oo.html""#, "foo.html"),
            Row(
                "attwithasciifnescapedquote",
                #"attachment; filename="\"quoting\" tested.html""#,
                #""quoting" tested.html"#
            ),
            Row(
                "attwithquotedsemicolon",
                #"attachment; filename="Here's a semicolon;.html""#,
                "Here's a semicolon;.html"
            ),
            Row("attwithfilenameandextparam", #"attachment; foo="bar"; filename="foo.html""#, "foo.html"),
            Row("attwithfilenameandextparamescaped", #"attachment; foo="\"\\";filename="foo.html""#, "foo.html"),
            Row("attwithasciifilenameucase", #"attachment; FILENAME="foo.html""#, "foo.html"),
            Row("attwithasciifilenamenq", "attachment; filename=foo.html", "foo.html"),
            Row("attwithtokfncommanq", "attachment; filename=foo,bar.html", nil),
            Row("attwithasciifilenamenqs", "attachment; filename=foo.html ;", "foo.html"),
            Row("attemptyparam", "attachment; ;filename=foo", "foo"),
            Row("attwithasciifilenamenqws", "attachment; filename=foo bar.html", nil),
            Row("attwithfntokensq", "attachment; filename='foo.bar'", "'foo.bar'"),
            Row("attwithisofnplain", #"attachment; filename="foo-ä.html""#, "foo-ä.html"),
            Row("attwithutf8fnplain", #"attachment; filename="foo-Ã¤.html""#, "foo-Ã¤.html"),
            Row("attwithfnrawpctenca", #"attachment; filename="foo-%41.html""#, "foo-%41.html"),
            Row("attwithfnusingpct", #"attachment; filename="50%.html""#, "50%.html"),
            Row("attwithfnrawpctencaq", #"attachment; filename="foo-%\41.html""#, "foo-%41.html"),
            Row("attwithnamepct", #"attachment; name="foo-%41.html""#, nil),
            Row("attwithfilenamepctandiso", #"attachment; filename="ä-%41.html""#, "ä-%41.html"),
            Row(
                "attwithfnrawpctenclong",
                #"attachment; filename="foo-%c3%a4-%e2%82%ac.html""#,
                "foo-%c3%a4-%e2%82%ac.html"
            ),
            Row("attwithasciifilenamews1", #"attachment; filename ="foo.html""#, "foo.html"),
            Row("attwith2filenames", #"attachment; filename="foo.html"; filename="bar.html""#, nil),
            Row("attfnbrokentoken", "attachment; filename=foo[1](2).html", nil),
            Row("attfnbrokentokeniso", "attachment; filename=foo-ä.html", nil),
            Row("attfnbrokentokenutf", "attachment; filename=foo-Ã¤.html", nil),
            Row("attmissingdisposition", "filename=foo.html", nil),
            Row("attmissingdisposition2", "x=y; filename=foo.html", nil),
            Row("attmissingdisposition3", #""foo; filename=bar;baz"; filename=qux"#, nil),
            Row("attmissingdisposition4", "filename=foo.html, filename=bar.html", nil),
            Row("emptydisposition", "; filename=foo.html", nil),
            Row("doublecolon", ": inline; attachment; filename=foo.html", nil),
            Row("attandinline", "inline; attachment; filename=foo.html", nil),
            Row("attandinline2", "attachment; inline; filename=foo.html", nil),
            Row("attbrokenquotedfn", #"attachment; filename="foo.html".txt"#, nil),
            Row("attbrokenquotedfn2", #"attachment; filename="bar"#, nil),
            Row("attbrokenquotedfn3", #"attachment; filename=foo"bar;baz"qux"#, nil),
            Row("attmultinstances", "attachment; filename=foo.html, attachment; filename=bar.html", nil),
            Row("attmissingdelim", "attachment; foo=foo filename=bar", nil),
            Row("attmissingdelim2", "attachment; filename=bar foo=foo", nil),
            Row("attmissingdelim3", "attachment filename=bar", nil),
            Row("attreversed", "filename=foo.html; attachment", nil),
            Row("attconfusedparam", "attachment; xfilename=foo.html", nil),
            Row("attabspath", #"attachment; filename="/foo.html""#, "/foo.html"),
            Row("attabspathwin", #"attachment; filename="\\foo.html""#, #"\foo.html"#),
            Row("attcdate", #"attachment; creation-date="Wed, 12 Feb 1997 16:29:51 -0500""#, nil),
            Row("attmdate", #"attachment; modification-date="Wed, 12 Feb 1997 16:29:51 -0500""#, nil),
            Row("dispext", "foobar", nil),
            Row("dispextbadfn", #"attachment; example="filename=example.txt""#, nil),
            Row("attwithisofn2231iso", "attachment; filename*=iso-8859-1''foo-%E4.html", "foo-ä.html"),
            Row("attwithfn2231utf8", "attachment; filename*=UTF-8''foo-%c3%a4-%e2%82%ac.html", "foo-ä-€.html"),
            Row("attwithfn2231noc", "attachment; filename*=''foo-%c3%a4-%e2%82%ac.html", nil),
            Row("attwithfn2231utf8comp", "attachment; filename*=UTF-8''foo-a%cc%88.html", #"foo-a\#u{308}.html"#),
            Row("attwithfn2231utf8-bad", "attachment; filename*=iso-8859-1''foo-%c3%a4-%e2%82%ac.html", nil),
            Row("attwithfn2231iso-bad", "attachment; filename*=utf-8''foo-%E4.html", nil),
            Row("attwithfn2231ws1", "attachment; filename *=UTF-8''foo-%c3%a4.html", nil),
            Row("attwithfn2231ws2", "attachment; filename*= UTF-8''foo-%c3%a4.html", "foo-ä.html"),
            Row("attwithfn2231ws3", "attachment; filename* =UTF-8''foo-%c3%a4.html", "foo-ä.html"),
            Row("attwithfn2231quot", #"attachment; filename*="UTF-8''foo-%c3%a4.html""#, nil),
            Row("attwithfn2231quot2", #"attachment; filename*="foo%20bar.html""#, nil),
            Row("attwithfn2231singleqmissing", "attachment; filename*=UTF-8'foo-%c3%a4.html", nil),
            Row("attwithfn2231nbadpct1", "attachment; filename*=UTF-8''foo%", nil),
            Row("attwithfn2231nbadpct2", "attachment; filename*=UTF-8''f%oo.html", nil),
            Row("attwithfn2231dpct", "attachment; filename*=UTF-8''A-%2541.html", "A-%41.html"),
            Row("attwithfn2231abspathdisguised", "attachment; filename*=UTF-8''%5cfoo.html", #"\foo.html"#),
            Row("attfncont", #"attachment; filename*0="foo."; filename*1="html""#, nil),
            Row("attfncontqs", #"attachment; filename*0="foo"; filename*1="\b\a\r.html""#, nil),
            Row("attfncontenc", #"attachment; filename*0*=UTF-8''foo-%c3%a4; filename*1=".html""#, nil),
            Row("attfncontlz", #"attachment; filename*0="foo"; filename*01="bar""#, nil),
            Row("attfncontnc", #"attachment; filename*0="foo"; filename*2="bar""#, nil),
            Row("attfnconts1", #"attachment; filename*1="foo."; filename*2="html""#, nil),
            Row("attfncontord", #"attachment; filename*1="bar"; filename*0="foo""#, nil),
            Row("attfnboth", #"attachment; filename="foo-ae.html"; filename*=UTF-8''foo-%c3%a4.html"#, "foo-ä.html"),
            Row("attfnboth2", #"attachment; filename*=UTF-8''foo-%c3%a4.html; filename="foo-ae.html""#, "foo-ä.html"),
            Row(
                "attfnboth3",
                "attachment; filename*0*=ISO-8859-15''euro-sign%3d%a4; filename*=ISO-8859-1''currency-sign%3d%a4",
                "currency-sign=¤"
            ),
            Row("attnewandfn", #"attachment; foobar=x; filename="foo.html""#, "foo.html"),
            Row("attrfc2047token", "attachment; filename==?ISO-8859-1?Q?foo-=E4.html?=", nil),
            Row(
                "attrfc2047quoted",
                #"attachment; filename="=?ISO-8859-1?Q?foo-=E4.html?=""#,
                "=?ISO-8859-1?Q?foo-=E4.html?="
            ),
        ]
    )
    func collection(row: Row) { #expect(DispositionField(row.field)?.fileName == row.name) }

    @Test(
        "Values with unusual syntax are parsed",
        arguments: [
            Row("no value", "", nil),
            Row("blanks around all", "\t attachment ; filename = a ", nil),
            Row("tabs", "attachment\t;\tfilename\t=\ta\t", "a"),
            Row("many semicolons", "attachment;;; ;filename=a;; ", "a"),
            Row("no type, but semicolons", ";;", nil),
            Row("an empty name", #"attachment; filename="""#, nil),
            Row("an empty extended name", "attachment; filename*=UTF-8''; filename=a", "a"),
            Row("an extended name that cannot be decoded", "attachment; filename*=UTF-8''%FF; filename=a", "a"),
            Row("an unknown charset", "attachment; filename*=koi8-r''%C1; filename=a", "a"),
            Row("a language", "attachment; filename*=uTf-8'en-GB'%c2%a3", "\u{A3}"),
            Row("an extended name without percent", "attachment; FileName*=utf-8''a!#$&+-.^_`|~z", "a!#$&+-.^_`|~z"),
            Row("an asterisk in an extended name", "attachment; filename*=utf-8''a*b", nil),
            Row("a third apostrophe", "attachment; filename*=utf-8''a'b", nil),
            Row("two extended names", "attachment; filename*=utf-8''a; filename*=utf-8''b; filename=c", nil),
            Row("two names in different case", "attachment; filename=a; FILENAME=b", nil),
            Row("two other parameters of one name", "attachment; x=1; x=2; filename=a", nil),
            Row("a name after the invalid", "attachment; x; filename=a", nil),
            Row("a parameter without a value", "attachment; filename=", nil),
            Row("a parameter without a name", "attachment; =a", nil),
            Row("an escape at the end", #"attachment; filename="a\"#, nil),
            Row("an escaped tab", "attachment; filename=\"a\\\tb\"", "a\tb"),
            Row("a control character", "attachment; filename=\"a\u{1}b\"", nil),
            Row("an escaped control character", "attachment; filename=\"a\\\u{1}b\"", nil),
            Row("NUL in an extended name", "attachment; filename*=utf-8''a%00b", "a\u{0}b"),
            Row("a quoted charset", #"attachment; filename*="utf-8''a"; filename="b""#, "b"),
            Row("letters with marks", "attachment; filename=\"e\u{301};\"; x=\"\u{301}\"", "e\u{301};"),
            Row("a mark behind a quotation mark", "attachment; filename=\"\u{301}\"", "\u{301}"),
            Row("emoji and Chinese", "attachment; filename=\"\u{1F600}\u{4E2D}\"", "\u{1F600}\u{4E2D}"),
        ]
    )
    func others(row: Row) {
        #expect(DispositionField(row.field)?.fileName.map { Array($0.utf8) } == row.name.map { Array($0.utf8) })
    }

    @Test("The disposition type is converted to lower case")
    func type() {
        #expect(DispositionField("ATTACHMENT")?.type == "attachment")
        #expect(DispositionField("Form-Data; name=x")?.type == "form-data")
    }

    @Test("Random bytes do not end the process", .seeded)
    func random() {
        var random = SeededGenerator()
        let parts = [
            "attachment", ";", "=", "\"", "\\", "filename", "*", "'", "utf-8''", "%", "%C3", "%A4", " ", "\u{301}",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...12, using: &random)
            let text = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            #expect(DispositionField(text)?.fileName?.isEmpty != true, "\(text)")
        }
    }
}
