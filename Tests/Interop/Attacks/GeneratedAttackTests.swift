#if os(Linux)
import Foundation
import Larkspur
import LarkspurTransport
import TestSupport
import Testing

extension AttackTests {
    /// Random spellings of hosts, redirects and DNS records. The property is that no packet goes to a forbidden
    /// address.
    @Suite("Generated URLs of strangers")
    struct Generated {
        private let network: AttackNetwork

        init() throws { network = try AttackTests.network.get() }

        private static let count =
            ProcessInfo.processInfo.environment["LARKSPUR_GENERATED_CASES"].flatMap { Int($0) } ?? 2000
        /// The number of calls of a session. They run at once.
        private static let batch = 50

        @Test("No call sends a packet to a forbidden address")
        func limited() async throws {
            var generator = SeededGenerator()
            var codes: [String: Int] = [:]
            for start in stride(from: 0, to: Self.count, by: Self.batch) {
                let urls = (start..<start + Self.batch).map { GeneratedURL($0, &generator) }
                let variant = start / Self.batch
                for (url, code) in try await perform(urls, isLimited: true, variant: variant) {
                    codes[code?.label ?? "success", default: 0] += 1
                    #expect(code != .timedOut, "\(url)")
                }
                if try !isClean() { try await find(in: urls, variant: variant) }
            }
            // Neither is rare, so that the property says something.
            #expect(codes["success", default: 0] > Self.count / 20, "\(codes)")
            #expect(codes["address-not-allowed", default: 0] > Self.count / 5, "\(codes)")
        }

        @Test("Without the limits, such calls reach many forbidden addresses")
        func unlimited() async throws {
            var generator = SeededGenerator(1)
            let urls = (0..<200).map { GeneratedURL($0, &generator) }
            _ = try await perform(urls, isLimited: false, variant: 0)
            let addresses = Set(
                try network.report().forbidden.compactMap { $0.split(separator: " ").dropFirst().first }
            )
            #expect(addresses.count > 20, "\(addresses)")
        }

        private func isClean() throws -> Bool {
            let report = try network.report()
            #expect(report.lost == 0)
            return report.forbidden.isEmpty && report.accepted.isEmpty
        }

        /// Performs the calls of a batch one after the other, to find those that send packets.
        private func find(in urls: [GeneratedURL], variant: Int) async throws {
            var found: [GeneratedURL] = []
            for url in urls {
                _ = try await perform([url], isLimited: true, variant: variant)
                if try !isClean() { found.append(url) }
            }
            Issue.record("Packets went to forbidden addresses; alone, by these calls (variant \(variant)): \(found)")
        }

        private func perform(
            _ urls: [GeneratedURL],
            isLimited: Bool,
            variant: Int
        ) async throws -> [(GeneratedURL, LarkspurError.Code?)] {
            try network.begin(names: urls.reduce(into: [:]) { names, url in names.merge(url.names) { $1 } })
            let client = AttackClient(network: network, isLimited: isLimited)
            let manager = client.manager(UntrustedURLLimits(totalTime: .seconds(10))) { options in
                options.allowsInsecureRedirects = variant.isMultiple(of: 2)
                options.http3 = variant.isMultiple(of: 3) ? .automatic : .never
                if variant % 5 == 4 {
                    options.dnsOverHTTPS = URL(string: "https://\(AttackNetwork.nameServer)/dns-query")
                }
            }
            defer { manager.invalidate(cancelingTasks: true) }
            return await withTaskGroup(of: (GeneratedURL, LarkspurError.Code?).self) { group in
                for url in urls { group.addTask { (url, await client.code(of: url, manager)) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
    }
}

extension AttackClient {
    fileprivate func code(of url: GeneratedURL, _ manager: SessionManager) async -> LarkspurError.Code? {
        await code {
            switch url.call {
            case .get: _ = try await manager.get(url.url).data
            case .head: _ = try await manager.head(url.url).data
            case .post: _ = try await manager.post(url.url, parameters: ["a": 1]).data
            case .upload: _ = try await manager.upload(url.url, from: .data(Data(count: 9))).data
            case .download: try FileManager.default.removeItem(at: try await manager.download(url.url).file)
            case .stream: for try await _ in manager.get(url.url).chunks {}
            case .webSocket: try await manager.webSocket(url.url).open()
            }
        }
    }
}
#endif
