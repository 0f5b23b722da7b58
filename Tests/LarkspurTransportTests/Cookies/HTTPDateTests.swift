#if canImport(FoundationNetworking)

import Foundation
import HTTPSyntax
import Testing

@testable import LarkspurTransport

@Suite struct HTTPDateTests {
    @Test(
        "Dates are read in all the forms that servers send",
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
        "What is no date is none",
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
