import CLibcurl
import Foundation
import Testing

@Suite struct LibcurlTests {
    @Test("libcurl is found, in a version that is new enough")
    func isFound() {
        #expect(libcurl_unavailability() == nil)
        #expect(libcurl_version_number() >= 0x074400)
    }

    @Test(
        "The libcurl of Tests/Interop/libcurls.sh is in use",
        .enabled(if: ProcessInfo.processInfo.environment["LARKSPUR_LIBCURL_VERSION"] != nil)
    )
    func isTheOneMeant() {
        let version = libcurl_version().map { String(cString: $0) } ?? "none"
        let expected = ProcessInfo.processInfo.environment["LARKSPUR_LIBCURL_VERSION"] ?? ""
        // Builds of pycurl's call themselves 8.16.0-DEV.
        #expect(version.split(separator: "-").first.map(String.init) == expected)
    }
}
