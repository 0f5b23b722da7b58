#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("The system's certificate authorities")
struct SystemRootsTests {
    static let debian = "/etc/ssl/certs/ca-certificates.crt"
    static let fedora = "/etc/pki/tls/certs/ca-bundle.crt"

    @Test(
        "If libcurl's file of roots is missing, the system's file replaces it",
        arguments: [
            (debian, "/etc/ssl/certs", [debian, "/etc/ssl/certs"], SystemRoots.fileAlone),
            (debian, nil, [debian, fedora], .fileAlone),
            (fedora, nil, [debian], .other(debian)),
            (debian, nil, [fedora], .other(fedora)),
            ("/conda/cacert.pem", "", [debian, fedora], .other(debian)),
            // A folder does as well.
            (fedora, "/own", [debian, "/own"], .asConfigured),
            (fedora, "/own", [debian], .other(debian)),
            // There are none, so that nothing is trusted.
            (fedora, nil, [], .asConfigured),
            // Built without any, or too old to say.
            (nil, nil, [debian], .asConfigured),
            ("", "/own", [debian], .asConfigured),
        ] as [(String?, String?, [String], SystemRoots)]
    )
    func choice(_ file: String?, _ folder: String?, _ present: [String], _ expected: SystemRoots) {
        #expect(SystemRoots(file: file, folder: folder, isReadable: present.contains) == expected)
    }

    @Test(
        "The path is that of the file or folder of roots that is used",
        arguments: [
            (debian, "/etc/ssl/certs", [debian, "/etc/ssl/certs"], debian), (fedora, nil, [debian], debian),
            (fedora, "/own", [debian, "/own"], "/own"), (fedora, nil, [], nil), (fedora, "/own", [], nil),
            // libcurl does not report it.
            (nil, nil, [fedora], fedora), (nil, "/own", ["/own", debian], "/own"), (nil, nil, [], nil),
        ] as [(String?, String?, [String], String?)]
    )
    func path(_ file: String?, _ folder: String?, _ present: [String], _ expected: String?) {
        #expect(SystemRoots.path(file: file, folder: folder, isReadable: present.contains) == expected)
    }
}
#endif
