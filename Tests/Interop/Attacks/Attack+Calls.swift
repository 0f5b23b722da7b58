#if os(Linux)
import Foundation
import Larkspur
import LarkspurTransport
import TestSupport
import Testing

extension Attack {
    // MARK: Responses

    static let responses: [Attack] = [
        Attack(
            "content that arrives slowly, or not at all",
            "ends at the total time",
            .timedOut,
            isReal: false
        ) { client in
            let manager = client.manager(UntrustedURLLimits(totalTime: .milliseconds(300)))
            async let slow = client.code(of: "\(site)/slow", manager)
            async let silent = client.code(of: "\(site)/silent", manager)
            return await [slow, silent]
        },
        Attack(
            "a gzip bomb",
            "ends at the limit of decoded content",
            .contentTooLarge,
            isReal: false
        ) { client in
            let manager = client.manager()
            return [
                await client.code(of: "\(site)/bomb", manager),
                await client.code { _ = try await manager.download("\(site)/bomb").file },
            ]
        },
        Attack(
            "content without end, or that announces a terabyte",
            "ends at the limit of content",
            .contentTooLarge,
            isReal: false
        ) { client in
            let manager = client.manager(UntrustedURLLimits(maximumResponseSize: 1 << 20))
            return [
                await client.code(of: "\(site)/endless", manager), await client.code(of: "\(site)/announced", manager),
                await client.code { _ = try await manager.download("\(site)/endless").file },
                await client.code { for try await _ in manager.get("\(site)/endless").chunks {} },
            ]
        },
        Attack(
            "a header without end",
            "ends at the engine's limit of header fields",
            .malformedResponse,
            isReal: false,
            urls: ["\(site)/header"]
        ),
        Attack(
            "an `Alt-Svc` field that names a private server",
            "no connection is opened to it",
            nil,
            isReal: false
        ) { client in
            let manager = client.manager { $0.http3 = .automatic }
            let path = "/service/\("10.0.0.5:443".inPath)"
            var codes: [LarkspurError.Code?] = []
            for number in 0..<3 {
                codes.append(await client.code(of: "https://\(AttackNetwork.host)\(path)?\(number)", manager))
            }
            return codes
        },
    ]

    // MARK: Kinds of calls

    static let calls: [Attack] = [
        Attack("a POST, an upload or a download, of a private address", noConnection, .addressNotAllowed) { client in
            let manager = client.manager()
            return [
                await client.code { _ = try await manager.post("http://10.0.0.5/", parameters: ["a": 1]).data },
                await client.code { _ = try await manager.put("http://[::1]/", body: .data(Data(count: 9))).data },
                await client.code {
                    _ = try await manager.upload("http://10.0.0.5/", from: .data(Data(count: 9))).data
                },
                await client.code { _ = try await manager.download("http://169.254.169.254/").file },
            ]
        },
        Attack(
            "an upload that is redirected (307), and a download that is redirected when it resumes",
            "the redirect fails",
            .addressNotAllowed
        ) { client in
            let manager = client.manager()
            let target = site + "http://10.0.0.5/".redirected(307)
            let url = "\(site)/download/\("http://10.0.0.5/".inPath)"
            let data = await manager.download(url).response().error?.resumeData
            #expect(data != nil)
            return [
                await client.code { _ = try await manager.upload(target, from: .data(Data(count: 9))).data },
                await client.code { _ = try await manager.download(url, resumeData: data).file },
                await client.code { _ = try await manager.download(url + "?2", maximumResumptions: 1).file },
            ]
        },
        Attack("an event stream that is redirected when it reconnects", "the stream ends", .addressNotAllowed) {
            client in
            let manager = client.manager()
            let url = "\(site)/events/\("http://127.0.0.1/".inPath)"
            return [await client.code { for try await _ in manager.events(url) {} }]
        },
        Attack(
            "a list whose next page, or a resumable upload whose `Location`, is private",
            "the next request fails",
            .addressNotAllowed
        ) { client in
            let manager = client.manager()
            let list = "\(site)/page/\("http://10.0.0.5/".inPath)"
            let uploads = "\(site)/tus/\("http://10.0.0.5/upload".inPath)"
            return [
                await client.code { for try await _ in manager.pages(list, as: JSONValue.self, by: .links) {} },
                await client.code {
                    _ = try await manager.upload(uploads, from: .data(Data(count: 9)), resumable: .tus).data
                },
            ]
        },
        Attack("a WebSocket to a private address: `ws://127.0.0.1/`", noConnection, .addressNotAllowed) { client in
            let manager = client.manager()
            var codes: [LarkspurError.Code?] = []
            for url in ["ws://127.0.0.1/", "wss://[::1]/", "http://169.254.169.254/", "ws://0x7f.1/"] {
                codes.append(await client.code { try await manager.webSocket(url).open() })
            }
            return codes
        },
        Attack(
            "a WebSocket whose handshake is redirected to a private address",
            "the redirect fails",
            .addressNotAllowed
        ) { client in
            let url = "ws://\(AttackNetwork.host)" + "http://10.0.0.5/".redirected()
            return [await client.code { try await client.manager().webSocket(url).open() }]
        },
        Attack(
            "a server that sets cookies; cookies and credentials of other sessions",
            "none are stored or sent",
            nil,
            isReal: false,
            check: { requests in
                #expect(requests.count == 2)
                #expect(requests.allSatisfy { $0.headers["cookie"] == nil && $0.headers["authorization"] == nil })
            }
        ) {
            client in
            let url = try #require(URL(string: "\(site)/"))
            let space = URLProtectionSpace(
                host: AttackNetwork.host,
                port: 80,
                protocol: "http",
                realm: nil,
                authenticationMethod: nil
            )
            let credential = URLCredential(user: "user", password: "pass", persistence: .forSession)
            URLCredentialStorage.shared.setDefaultCredential(credential, for: space)
            defer { URLCredentialStorage.shared.remove(credential, for: space) }
            let cookie = try #require(
                HTTPCookie(properties: [.name: "a", .value: "b", .domain: AttackNetwork.host, .path: "/"])
            )
            HTTPCookieStorage.shared.setCookie(cookie)
            defer { HTTPCookieStorage.shared.deleteCookie(cookie) }
            let manager = client.manager()
            return [
                await client.code(of: url.absoluteString, manager), await client.code(of: url.absoluteString, manager),
            ]
        },
    ]
}
#endif
