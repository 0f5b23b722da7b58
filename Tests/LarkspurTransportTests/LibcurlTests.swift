import CLibcurl
import Testing

@Suite struct LibcurlTests {
    @Test("libcurl is found, with a version that is new enough")
    func isFound() {
        #expect(libcurl_unavailability() == nil)
        #expect(libcurl_version_number() >= 0x074400)
    }
}
