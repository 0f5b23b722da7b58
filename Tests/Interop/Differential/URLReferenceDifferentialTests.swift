#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import TestSupport
import Testing

@testable import LarkspurTransport

/// References as the engine resolves those of a `Location`, by RFC 3986, with invalid characters percent-encoded as
/// browsers do it.
@Suite("URL references, beside urllib and ada", .needsServers, .seeded, .differentialLimit)
struct URLReferenceDifferentialTests {
    private struct Case: Decodable {
        let base: String
        let text: String
        let rfc: String?
        let whatwg: String?
    }

    @Test("References are resolved as RFC 3986 or the URL standard requires")
    func resolution() throws {
        let count = DifferentialRun.count(6000)
        let cases: [Case] = try DifferentialRun.cases(of: "differential_references", count)
        try #require(cases.count == count)
        var run = DifferentialRun("URL references")
        for reference in cases {
            let own = URLReference(reference.text).percentEncoded.resolved(against: URLReference(reference.base))
            if own.text == reference.rfc || normal(own) == reference.whatwg.map({ normal(URLReference($0)) }) {
                run.agree()
            } else {
                run.differ(reason(reference, own), "\(reference): \(own.text)")
            }
        }
        run.finish(agreeing: count * 8 / 10)
    }

    /// Returns a URL as the URL standard has it: with scheme and host in lower case, and without a default port.
    private func normal(_ url: URLReference) -> String {
        var url = url
        url.scheme = url.scheme?.lowercased()
        var authority = url.authority?.lowercased() ?? ""
        for port in [":", url.scheme == "http" ? ":80" : ":443"] where authority.hasSuffix(port) {
            authority.removeLast(port.count)
        }
        url.authority = authority
        if url.path.isEmpty { url.path = "/" }
        // Browsers escape the apostrophe in a query.
        url.query = url.query?.replacing("%27", with: "'")
        return url.text
    }

    /// Returns a URL without what urllib drops: empty segments, and an empty query and fragment.
    private func loose(_ url: URLReference) -> String {
        var url = url
        url.scheme = url.scheme?.lowercased()
        url.path.replace(/\/+/, with: "/")
        if url.query?.isEmpty == true { url.query = nil }
        if url.fragment?.isEmpty == true { url.fragment = nil }
        return url.text
    }

    /// Why the engine differs from both; nil if there is no good reason.
    private func reason(_ reference: Case, _ own: URLReference) -> String? {
        let relative = URLReference(reference.text)
        if reference.text.hasPrefix(" ") || reference.text.hasSuffix(" ") {
            return "blanks at the ends belong to the field, and are no longer there"
        }
        if relative.scheme == nil, relative.authority == nil, let rfc = reference.rfc,
            loose(own) == loose(URLReference(rfc))
        {
            return "urllib drops empty segments, queries and fragments, which RFC 3986 keeps (sections 5.2.4 and 5.3)"
        }
        let hasEmptySegment = (URLReference(reference.base).path + " " + relative.path).contains("//")
        if relative.scheme == nil, relative.authority == nil, hasEmptySegment,
            reference.text.lowercased().contains("%2e") || reference.text.contains("\\")
        {
            return "urllib drops empty segments before it removes dot segments, and ada decodes dots and backslashes"
        }
        if let scheme = relative.scheme, relative.authority == nil {
            return ["http", "https"].contains(scheme.lowercased())
                ? "a reference with a scheme is not merged with the base (RFC 3986, section 5.2.2)"
                : "the dot segments of each reference are removed (RFC 3986, section 5.2.2), whatever its scheme is"
        }
        if relative.authority == "" { return "an authority may be empty (RFC 3986, section 3.2); it is refused later" }
        if relative.authority != nil, let rfc = reference.rfc {
            // urllib leaves the dot segments of such references, and empties; ada checks hosts, and decodes dots.
            let resolved = URLReference(rfc).resolved(against: URLReference(rfc))
            if loose(own) == loose(resolved) {
                return "urllib leaves the dot segments of references with an authority (RFC 3986, section 5.2.2)"
            }
            let encoded = URLReference(rfc).percentEncoded
            if loose(own) == loose(encoded.resolved(against: encoded)) {
                return "urllib leaves the characters of the user information that RFC 3986 forbids there"
            }
        }
        if relative.authority != nil, reference.rfc == nil {
            return "the host or the user information is invalid, which is found later"
        }
        return nil
    }
}
#endif
