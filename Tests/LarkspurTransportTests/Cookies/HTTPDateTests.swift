#if canImport(FoundationNetworking)

import Foundation
import HTTPSyntax
import Testing

@testable import LarkspurTransport

@Suite struct HTTPDateTests {
    @Test(
        "Dates are parsed in all forms that servers send",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun, 06-Nov-1994 08:49:37 GMT", 784_111_777),
            ("6 november 1994 8:49:37", 784_111_777), ("1994 08:49:37 06 nov", 784_111_777),
            ("08:49:37 6 Nov 1994 UTC+1", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 01-Jan-70 00:00:01 GMT", 1),
            ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
            ("Fri, 01 Mar 2069 00:00:00", 3_129_321_600), ("01 Mar 69 00:00:00", 3_129_321_600),
            ("31 Dec 9999 23:59:59", 253_402_300_799),
            ("01 Jan 1601 00:00:00", -11_644_473_600),
        ]
    )
    func dates(text: String, seconds: Double) {
        #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        "Anything but a digit may follow the seconds of a cookie's date (RFC 6265, section 5.1.1)",
        arguments: ["08:49:37:", "08:49:37:GMT", "08:49:37:5", "08:49:37x", "8:49:37:0:1"]
    )
    func behindSeconds(time: String) {
        #expect(HTTPDate.parse("6 Nov 1994 \(time)") == Date(timeIntervalSince1970: 784_111_777))
        #expect(HTTPDate.parse("6 Nov 1994 08:49:377") == nil)
    }

    @Test(
        "The strict parser accepts the three forms of HTTP, in any case",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun Nov 06 08:49:37 1994", 784_111_777),
            ("sUN, 06 nOV 1994 08:49:37 gmt", 784_111_777),
            ("sunday, 06-NOV-94 08:49:37 Gmt", 784_111_777), ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_799), ("Wed Dec 31 00:00:00 1969", -86_400),
            ("Tuesday, 29-Feb-00 00:00:00 GMT", 951_782_400),
        ]
    )
    func strict(text: String, seconds: Double) {
        #expect(HTTPDate.parseStrictly(text, now: Self.now) == Date(timeIntervalSince1970: seconds))
    }

    /// Tue, 14 Nov 2023 22:13:20 GMT.
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(
        "A year of two digits is at most fifty years in the future",
        arguments: [("73", 2073), ("74", 1974), ("23", 2023), ("24", 2024), ("00", 2000), ("99", 1999)]
    )
    func centuries(digits: String, year: Int) {
        let date = HTTPDate.parseStrictly("Monday, 01-Jan-\(digits) 00:00:00 GMT", now: Self.now)
        #expect(date == HTTPDate.parse("01 Jan \(year) 00:00:00"))
        // In 2098 the century to come is nearer than the one that ends.
        let late = HTTPDate.parse("01 Jan 2098 00:00:00") ?? .distantPast
        let next = HTTPDate.parseStrictly("Monday, 01-Jan-03 00:00:00 GMT", now: late)
        #expect(next == HTTPDate.parse("01 Jan 2103 00:00:00"))
    }

    @Test(
        "The strict parser accepts no other forms",
        arguments: [
            "", "0", "-1", " ", "GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 EST", "Sun, 06 Nov 94 08:49:37 GMT",
            "Sun 06 Nov 1994 08:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37  GMT", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
            "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
            "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37:00 GMT",
            "Sun, 06 November 1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 6-Nov-94 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37", "Sunday 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-94-1 08:49:37 GMT",
            "Sun Nov 6 08:49:37 1994", "Sun Nov   6 08:49:37 1994", "Sun Nov 06 08:49:37 94",
            "Sun Nov  6 08:49:37 1994 GMT", "Sunday Nov  6 08:49:37 1994", "Sun Nov  06 08:49:37 1994",
            "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", "+1 Nov 1994", "\u{1F600}",
            "Sun, \u{0661}6 Nov 1994 08:49:37 GMT", "Sun,\t06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT;",
        ]
    )
    func noStrictDates(text: String) { #expect(HTTPDate.parseStrictly(text) == nil) }

    @Test(
        "A text that is not a date is rejected",
        arguments: [
            "", "0", "Sun", "06 Nov 1994", "06 Nov 08:49:37", "Nov 1994 08:49:37", "06 1994 08:49:37",
            "31 Feb 2000 00:00:00",
            "29 Feb 1900 00:00:00", "00 Jan 2000 00:00:00", "32 Jan 2000 00:00:00", "01 Jan 1600 00:00:00",
            "01 Jan 2000 24:00:00",
            "01 Jan 2000 00:60:00", "01 Jan 2000 00:00:60", "01 Jan 20000 00:00:00", "01 Foo 2000 00:00:00",
            "01 Jan 2000 00:00",
            "99999999999999999999 Jan 2000 00:00:00", "\u{1F600}",
        ]
    )
    func noDates(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }
}

#endif
