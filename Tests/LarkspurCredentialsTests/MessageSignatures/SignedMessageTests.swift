import HTTPSyntax
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurCredentials

/// The values of the components of RFC 9421, section 2.
@Suite("Components of signed messages")
struct SignedMessageTests {
    typealias Component = MessageSignature.Component

    private static let dictionary = "  a=1,    b=2;x=1;y=2,   c=(a   b   c), d"

    @Test(
        "Derived components have the values of the RFC",
        arguments: [
            ("POST", "https://www.example.com/path?param=value", Component.method, "POST"),
            ("Purge", "https://www.example.com/", .method, "Purge"),
            (
                "GET", "HTTPS://user:pass@WWW.Example.com:443/path?param=value#f", .targetURI,
                "https://www.example.com/path?param=value"
            ),
            ("GET", "http://www.example.com", .targetURI, "http://www.example.com/"),
            ("GET", "http://www.example.com:8080?a", .targetURI, "http://www.example.com:8080/?a"),
            ("GET", "https://WWW.example.com/path", .authority, "www.example.com"),
            ("GET", "https://www.example.com:443/path", .authority, "www.example.com"),
            ("GET", "https://www.example.com:80/path", .authority, "www.example.com:80"),
            ("GET", "http://[::1]:81/", .authority, "[::1]:81"),
            ("GET", "HTTP://www.example.com/path", .scheme, "http"),
            ("GET", "https://www.example.com/path?param=value", .requestTarget, "/path?param=value"),
            ("GET", "https://www.example.com", .requestTarget, "/"),
            ("GET", "https://www.example.com/?", .requestTarget, "/?"),
            ("GET", "https://www.example.com/path?param=value", .path, "/path"),
            ("GET", "https://www.example.com?param=value", .path, "/"),
            ("GET", "https://www.example.com/a%2Fb%20c/../d", .path, "/a%2Fb%20c/../d"),
            (
                "GET", "https://www.example.com/path?param=value&foo=bar&baz=bat%2Dman", .query,
                "?param=value&foo=bar&baz=bat%2Dman"
            ),
            ("POST", "https://www.example.com/path?queryString", .query, "?queryString"),
            ("POST", "https://www.example.com/path", .query, "?"),
            ("POST", "https://www.example.com/path?", .query, "?"),
        ]
    )
    func derived(method: String, url: String, component: Component, value: String) throws {
        var message = SignedMessage(try URLRequest(method, url))
        #expect(try message.value(of: component) == value)
    }

    @Test("The authority is that of the field Host, which the request may set")
    func host() throws {
        for (host, authority) in [
            ("Origin.example:80", "origin.example"), (" a:8080", "a:8080"), ("[::1]:80", "[::1]"),
        ] {
            var message = SignedMessage(try URLRequest("GET", "http://other/", ["Host": host]))
            #expect(try message.value(of: .authority) == authority)
            #expect(try message.value(of: .targetURI) == "http://\(authority)/")
            #expect(try message.value(of: "host") == host.trimmingBlanks)
        }
        var message = SignedMessage(try URLRequest("GET", "http://Other:80/"))
        #expect(try message.value(of: "Host") == "other")
    }

    @Test("Query parameters have the values of the RFC")
    func queryParameters() throws {
        let first = "https://a/path?param=value&foo=bar&baz=batman&qux="
        let second =
            "https://a/?var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace"
            + "&fa%C3%A7ade%22%3A%20=something"
        for (url, name, identifier, value) in [
            (first, "baz", "baz", "batman"), (first, "qux", "qux", ""), (first, "param", "param", "value"),
            (second, "var", "var", "this%20is%20a%20big%0Amultiline%20value"),
            (second, "bar", "bar", "with%20plus%20whitespace"),
            (second, "façade\": ", "fa%C3%A7ade%22%3A%20", "something"),
            ("https://a/?a&%61b=~*-._%FF", "a", "a", ""),
            ("https://a/?a&%61b=~*-._%FF", "ab", "ab", "%7E*-._%EF%BF%BD"),
        ] {
            var message = SignedMessage(try URLRequest("GET", url))
            let component = Component.queryParameter(name)
            #expect(component.description == "\"@query-param\";name=\"\(identifier)\"")
            #expect(try message.value(of: component) == value)
        }
        var message = SignedMessage(try URLRequest("GET", "https://a/?a=1&a=2&b"))
        for name in ["a", "c", ""] {
            let reason = reason { try message.value(of: .queryParameter(name)) }
            #expect(reason == .componentUnavailable)
        }
    }

    @Test("Fields have the values of the RFC")
    func fields() throws {
        let fields: HTTPHeaders = [
            "X-OWS": "  Leading and trailing whitespace.  ", "X-Empty": "", "Example-Dict": Self.dictionary,
            "Content-Digest": "sha-256=:AQ==:  ,b=:AQI:", "Accept-CH": " a,  b;c=\"d\"", "Deprecation": " @1 ",
        ]
        var message = SignedMessage(try URLRequest("GET", "https://a/"))
        #expect(reason { try message.value(of: "x-ows") } == .componentUnavailable)
        var request = try URLRequest("GET", "https://a/")
        request.headers = fields
        message = SignedMessage(request)
        for (component, value) in [
            ("x-ows" as Component, "Leading and trailing whitespace."), ("X-EMPTY", ""),
            ("example-dict", Self.dictionary.trimmingBlanks),
            (Component("example-dict").member("a"), "1"), (Component("example-dict").member("d"), "?1"),
            (Component("example-dict").member("b"), "2;x=1;y=2"), (Component("example-dict").member("c"), "(a b c)"),
            (.contentDigest.strict, "sha-256=:AQ==:, b=:AQI=:"), (Component("accept-ch").strict, "a, b;c=\"d\""),
            (Component("deprecation").strict, "@1"),
            (Component("x-ows").bytes, ":TGVhZGluZyBhbmQgdHJhaWxpbmcgd2hpdGVzcGFjZS4=:"),
        ] {
            #expect(try message.value(of: component) == value, "\(component)")
        }
    }

    @Test("A response has its status, its trailers, and the components of its request")
    func responses() throws {
        let request = try URLRequest("POST", "https://a/b?c=d", ["Content-Type": "text/plain"])
        let response = try HTTPURLResponse.make(status: 503, ["Content-Type": "a/b", "Trailer": "Expires"])
        let trailers: HTTPHeaders = ["Expires": "Wed, 9 Nov 2022 07:28:00 GMT"]
        var message = SignedMessage(response, trailers: trailers, to: request)
        for (component, value) in [
            (Component.status, "503"), ("content-type", "a/b"), (Component("content-type").ofRequest, "text/plain"),
            (.method.ofRequest, "POST"), (.queryParameter("c").ofRequest, "d"), ("trailer", "Expires"),
            (Component("expires").trailer, "Wed, 9 Nov 2022 07:28:00 GMT"),
        ] {
            #expect(try message.value(of: component) == value, "\(component)")
        }
        for component: Component in ["expires", Component("trailer").trailer, Component("expires").trailer.ofRequest] {
            #expect(reason { try message.value(of: component) } == .componentUnavailable, "\(component)")
        }
        message = SignedMessage(response, trailers: nil, to: nil)
        for component: Component in [
            Component("expires").trailer, .method.ofRequest, Component("content-type").ofRequest,
        ] {
            #expect(reason { try message.value(of: component) } == .componentUnavailable, "\(component)")
        }
    }

    @Test("Components that cannot be signed are refused by name")
    func refusals() throws {
        var request = try URLRequest("GET", "https://a/?b", ["X-Dict": "a=1,", "X-Text": "é", "X-Tab": "a\tb"])
        request.setValue("a\u{0}b", forHTTPHeaderField: "X-Control")
        var message = SignedMessage(request)
        let unknown: [Component] = [
            .status, "@unknown", "@signature-params", "@query-param", .method.ofRequest, .method.strict, .path.bytes,
            .queryParameter("b").member("c"), Component.queryParameter("b").ofRequest, "", "x y",
            Component("x-dict").strict, Component("x-tab").strict.bytes, Component("x-tab").bytes.member("a"),
            Component("x-tab").member("a").member("b"),
        ]
        for component in unknown {
            #expect(reason { try message.value(of: component) } == .unknownComponent, "\(component)")
        }
        for component: Component in [
            Component("x-dict").member("a"), Component("x-tab").member("b"), "x-text", "x-control",
            Component("x-tab").trailer,
        ] {
            #expect(reason { try message.value(of: component) } == .componentUnavailable, "\(component)")
        }
        #expect(try message.value(of: "x-tab") == "a\tb" && message.value(of: Component("x-text").bytes) == ":w6k=:")
        var response = SignedMessage(try .make(status: 200, ["X-Text": "é"]), trailers: nil, to: nil)
        #expect(reason { try response.value(of: Component("x-text").bytes) } == .componentUnavailable)
        #expect(reason { try response.value(of: .method) } == .unknownComponent)
        #expect(reason { try response.value(of: .status.ofRequest) } == .unknownComponent)
        message = SignedMessage(try URLRequest("GET", "ftp://a/"))
        #expect(reason { try message.value(of: .method) } == .componentUnavailable)
    }

    @Test("Components are equal whatever the order of their parameters, and are written in their order")
    func equality() throws {
        let (first, second) = (Component("a").strict.ofRequest, Component("A").ofRequest.strict)
        #expect(first == second && first.description == "\"a\";sf;req" && second.description == "\"a\";req;sf")
        #expect(first != Component("a").strict && Component("a").member("b") != Component("a").member("c"))
        let input = SignatureInput([first, second], [:])
        let message = SignedMessage(try .make(status: 200, [:]), trailers: nil, to: try URLRequest("GET", "https://a/"))
        #expect(reason { try input.base(of: message) } == .componentUnavailable)
        let twice = SignatureInput([.method, "@method"], [:])
        let request = SignedMessage(try URLRequest("GET", "https://a/"))
        #expect(reason { try twice.base(of: request) } == .repeatedName)
    }
}

/// Returns the reason for which a closure throws; nil if it does not throw a failure of signatures.
func reason(_ body: () throws -> some Any) -> MessageSignatureFailure.Reason? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? MessageSignatureFailure)?.reason
    }
}
