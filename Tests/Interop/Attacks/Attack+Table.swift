#if os(Linux)
import Foundation
import Larkspur
import LarkspurTransport
import TestSupport
import Testing

extension Attack {
    static let site = "http://\(AttackNetwork.host)"
    static let noConnection = "no connection is opened"

    static let all: [Attack] = addresses + lookUps + redirects + texts + responses + calls

    // MARK: Addresses

    private static let addresses: [Attack] = [
        Attack(
            "loopback: `http://127.0.0.1/`, `http://[::1]/`, `http://localhost/`, `http://localhost./`",
            noConnection,
            .addressNotAllowed,
            names: ["localhost": [["127.0.0.1", "::1"]]],
            urls: [
                "http://127.0.0.1/", "http://[::1]/", "http://localhost/", "http://localhost./", "http://LOCALHOST/",
                "https://127.0.0.1/", "http://127.8.9.10/",
            ]
        ),
        Attack(
            "loopback in other notations: `http://127.1/`, `http://2130706433/`, `http://0x7f.1/`, `http://0177.0.0.1/`",
            noConnection,
            .addressNotAllowed,
            urls: [
                "http://127.1/", "http://127.0.1/", "http://2130706433/", "http://0x7f.1/", "http://0x7f000001/",
                "http://0177.0.0.1/", "http://017700000001/", "http://127.0.0.1./", "http://%31%32%37.0.0.1/",
            ]
        ),
        Attack(
            "loopback in other digits: `http://①②⑦.⓪.⓪.①/`, `http://１２７.０.０.１/`",
            noConnection,
            .addressNotAllowed,
            urls: ["http://①②⑦.⓪.⓪.①/", "http://１２７.０.０.１/", "http://127。0。0。1/", "http://ｌｏｃａｌｈｏｓｔ/"]
        ),
        Attack(
            "the unspecified address: `http://0/`, `http://0.0.0.0/`, `http://[::]/`",
            noConnection,
            .addressNotAllowed,
            urls: ["http://0/", "http://0.0.0.0/", "http://[::]/", "http://0.1.2.3/"]
        ),
        Attack(
            "an IPv4 address within an IPv6 address: `http://[::ffff:169.254.169.254]/`",
            noConnection,
            .addressNotAllowed,
            urls: [
                "http://[::ffff:169.254.169.254]/", "http://[::ffff:a9fe:a9fe]/", "http://[::127.0.0.1]/",
                "http://[0:0:0:0:0:ffff:7f00:1]/",
            ]
        ),
        Attack(
            "NAT64, 6to4 and Teredo: `http://[64:ff9b::7f00:1]/`, `http://[2002:7f00:1::]/`, `http://[2001:0:7f00:1::]/`",
            noConnection,
            .addressNotAllowed,
            urls: [
                "http://[64:ff9b::7f00:1]/", "http://[64:ff9b::10.0.0.5]/", "http://[64:ff9b:1::7f00:1]/",
                "http://[2002:7f00:1::]/", "http://[2002:a9fe:a9fe::1]/", "http://[2001:0:7f00:1::]/",
            ]
        ),
        Attack(
            "metadata services: `http://169.254.169.254/`, `http://[fd00:ec2::254]/`, `http://168.63.129.16/`",
            noConnection,
            .addressNotAllowed,
            urls: [
                "http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://168.63.129.16/",
                "http://100.100.100.200/", "http://169.254.170.2/",
            ]
        ),
        Attack(
            "private networks: `http://10.0.0.5/`, `http://192.168.1.1/`, `http://100.64.0.1/`, `http://[fe80::1%25lo]/`",
            noConnection,
            .addressNotAllowed,
            urls: [
                "http://10.0.0.5/", "http://172.16.0.1/", "http://192.168.1.1/", "http://100.64.0.1/",
                "http://198.18.0.1/", "http://[fc00::1]/", "http://[fe80::1%25lo]/", "http://[3fff::1]/",
                "http://[5f00::1]/", "http://240.0.0.1/",
            ]
        ),
    ]

    // MARK: Look-ups

    private static let lookUps: [Attack] = [
        Attack(
            "a name whose address, or whose alias (CNAME), is private",
            noConnection,
            .addressNotAllowed,
            names: [
                "private.stranger.test": [["169.254.169.254"]], "sixth.stranger.test": [["fd00:ec2::254", "::1"]],
                "alias.stranger.test": [["private.stranger.test"]], "local.stranger.test": [["127.0.0.1", "::1"]],
            ],
            urls: ["private", "sixth", "alias", "local"].map { "http://\($0).stranger.test/" }
        ),
        Attack(
            "a name with a public and a private address",
            "the public address is used",
            nil,
            // Without limits, the public address is often used, too.
            isReal: false,
            names: [
                "both.stranger.test": [["127.0.0.1", AttackNetwork.host]],
                "families.stranger.test": [["::1", AttackNetwork.host]],
                "other.stranger.test": [["10.0.0.5", AttackNetwork.sixth]],
            ],
            urls: ["both", "families", "other"].map { "http://\($0).stranger.test/" }
        ),
        Attack(
            "the same, and the public address refuses the connection",
            "the private address is not tried",
            .cannotConnectToHost,
            names: ["both.stranger.test": [[AttackNetwork.host, "10.0.0.5"]]]
        ) { client in
            let manager = client.manager(UntrustedURLLimits(allowedPorts: nil, totalTime: .seconds(20)))
            return [await client.code(of: "http://both.stranger.test:8081/", manager)]
        },
        Attack(
            "a name with a public address at the first call, and a private one at the second (rebinding)",
            "the second call fails",
            .addressNotAllowed,
            names: ["rebind.stranger.test": [[AttackNetwork.host], ["127.0.0.1"]]]
        ) { client in
            let manager = client.manager()
            #expect(await client.code(of: "http://rebind.stranger.test/", manager) == nil)
            // Another port, and another session, look the name up again.
            return [
                await client.code(of: "https://rebind.stranger.test/", manager),
                await client.code(of: "http://rebind.stranger.test/", client.manager()),
            ]
        },
        Attack(
            "the same between a call and its redirect",
            "the redirect fails",
            .addressNotAllowed,
            names: ["rebind.stranger.test": [[AttackNetwork.host], ["10.0.0.5"]]]
        ) { client in
            let path = "https://rebind.stranger.test/".redirected(closing: true)
            return [await client.code(of: "http://rebind.stranger.test\(path)", client.manager())]
        },
        Attack(
            "a name that becomes private while a connection to its public address is idle",
            "the open connection is used",
            nil,
            isReal: false,
            names: ["idle.stranger.test": [[AttackNetwork.host], ["127.0.0.1"]]],
            urls: ["http://idle.stranger.test/1", "http://idle.stranger.test/2"]
        ),
        Attack(
            "a server of DNS over HTTPS that returns a private address",
            noConnection,
            .addressNotAllowed,
            names: ["inside.stranger.test": [["192.168.1.1", "fd00::1"]]]
        ) { client in
            let manager = client.manager {
                $0.dnsOverHTTPS = URL(string: "https://\(AttackNetwork.nameServer)/dns-query")
            }
            return [await client.code(of: "http://inside.stranger.test/", manager)]
        },
        Attack(
            "a URL of the server of DNS over HTTPS itself",
            "no request is sent to it",
            .addressNotAllowed,
            isReal: false,
            names: [
                "names.stranger.test": [[AttackNetwork.nameServer]], "https names.stranger.test": [["10.0.0.5"]],
                "other.stranger.test": [[AttackNetwork.host]],
            ],
            check: { requests in
                #expect(requests.allSatisfy { $0.address != AttackNetwork.nameServer || $0.target == "/dns-query" })
            }
        ) { client in
            let manager = client.manager { $0.dnsOverHTTPS = URL(string: "https://names.stranger.test/dns-query") }
            #expect(await client.code(of: "http://other.stranger.test/", manager) == nil)
            var codes: [LarkspurError.Code?] = []
            for host in [
                "names.stranger.test", "NAMES.stranger.test:443", "names.stranger.test.", "%6Eames.stranger.test",
            ] {
                codes.append(await client.code(of: "https://\(host)/secrets", manager))
            }
            return codes
        },
        Attack(
            "`hostAddresses` or a `resolver` of the program with a private address",
            noConnection,
            .addressNotAllowed
        ) { client in
            let fixed = client.manager {
                $0.hostAddresses = [HostAddress(host: "fixed.stranger.test", port: 80, addresses: ["10.0.0.5"])]
            }
            let resolved = client.manager {
                $0.resolver = { _ in [ResolvedAddress("192.168.1.1", timeToLive: .zero)] }
            }
            return [
                await client.code(of: "http://fixed.stranger.test/", fixed),
                await client.code(of: "http://resolved.stranger.test/", resolved),
            ]
        },
        Attack(
            "a proxy in the options or in the environment",
            "no request is sent, unless the rule names proxies as `trusted`",
            .addressNotAllowed
        ) { client in
            let proxied = client.manager {
                $0.proxy = ProxyServer("http://10.0.0.5:8080").map { .server($0) } ?? .direct
            }
            return [
                await client.code(of: "\(site)/", proxied),
                try client.codeOfCommand("\(site)/", proxy: "http://10.0.0.5:8080"),
            ]
        },
    ]

    // MARK: Redirects

    private static let redirects: [Attack] = [
        Attack(
            "redirects (301, 302, 303, 307, 308) to the metadata address, to a name of it, to `//127.0.0.1/`, and in a chain",
            "the redirect fails",
            .addressNotAllowed,
            names: [
                "start.stranger.test": [[AttackNetwork.host]], "metadata.stranger.test": [["169.254.169.254"]],
            ],
            urls: [301, 302, 303, 307, 308].map { site + "http://169.254.169.254/".redirected($0) } + [
                site + "http://metadata.stranger.test/".redirected(), site + "//127.0.0.1/".redirected(),
                site + "//0x7f.1/".redirected(), site + "http://[::ffff:127.0.0.1]/".redirected(307),
                site + ("http://start.stranger.test" + "http://metadata.stranger.test/".redirected(307)).redirected(),
            ]
        ),
        Attack(
            "ports of other services, in a URL and in a redirect: `:22`, `:25`, `:8080`",
            noConnection,
            .portNotAllowed,
            urls: [
                "\(site):22/", "\(site):25/", "\(site):8080/", "https://\(AttackNetwork.host):8443/",
                site + "\(site):8080/".redirected(), site + "//\(AttackNetwork.host):25/".redirected(307),
            ]
        ),
        Attack(
            "a redirect to `file:`, `ftp:`, `gopher:`, `data:` or `http+unix:`",
            "the redirect fails",
            .unsupportedURL,
            isReal: false,
            urls: [
                "file:///etc/passwd", "ftp://10.0.0.5/", "gopher://10.0.0.5/", "data:text/plain,x",
                "http+unix://%2Frun%2Fdocker.sock/", "dict://10.0.0.5/", "ws://10.0.0.5/",
            ].map { site + $0.redirected() }
        ),
        Attack(
            "a loop of redirects",
            "the sixth redirect fails",
            .tooManyRedirects,
            isReal: false,
            urls: ["\(site)/loop/1"]
        ),
        Attack(
            "a page with `<meta http-equiv=\"refresh\">`, or a `Refresh` field",
            "is not followed",
            nil,
            isReal: false,
            urls: ["\(site)/meta/\("http://169.254.169.254/".inPath)"]
        ),
    ]

    // MARK: Texts of URLs

    private static let texts: [Attack] = [
        Attack(
            "other schemes: `file:`, `ftp:`, `gopher:`, `data:`",
            "nothing is opened",
            .unsupportedURL,
            isReal: false,
            urls: [
                "file:///etc/passwd", "ftp://10.0.0.5/", "gopher://10.0.0.5:25/x", "data:text/plain,x",
                "dict://10.0.0.5/", "FILE:///etc/passwd", "unix:///run/docker.sock",
            ]
        ),
        Attack(
            "Unix-domain sockets: `http+unix://%2Frun%2Fdocker.sock/`",
            "nothing is opened",
            .addressNotAllowed,
            isReal: false,
            urls: ["http+unix://%2Frun%2Fdocker.sock/", "https+unix://%2Frun%2Fdocker.sock/"]
        ),
        Attack(
            "an address behind user information: `http://example.com@169.254.169.254/`",
            noConnection,
            .addressNotAllowed,
            urls: [
                "http://example.com@169.254.169.254/", "http://example.com:80@127.0.0.1/",
                "http://example.com%2F@10.0.0.5/",
                "http://@10.0.0.5/",
            ]
        ),
        Attack(
            "user information for a public server: `http://user:pass@example.com/`",
            "is not sent before this server asks for it",
            nil,
            isReal: false,
            check: { requests in
                #expect(requests.count == 1 && requests.allSatisfy { $0.headers["authorization"] == nil })
            }
        ) { client in
            [await client.code(of: "http://user:pass@\(AttackNetwork.host)/", client.manager())]
        },
        Attack(
            "line breaks in a URL, to add fields or a second request",
            "nothing is sent",
            .invalidURL,
            isReal: false,
            urls: ["\(site)/a\r\nX-Added: 1", "\(site)/a HTTP/1.1\r\nHost: 10.0.0.5\r\n\r\nGET /", "http://a\r\nb/"]
        ),
    ]
}
#endif
