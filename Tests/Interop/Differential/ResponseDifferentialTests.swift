#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import LarkspurTransport
import TestSupport
import Testing

/// Responses as bytes, with lengths and chunks, whole and broken, which the engine and curl get from one server.
@Suite("Responses, beside h11, http.client and curl", .needsServers, .seeded, .differentialLimit)
struct ResponseDifferentialTests {
    private struct Case: Decodable {
        let bytes: Data
        /// The content, if the response is valid.
        let content: Data?
        let h11: Data?
        let client: Data?
        /// The content, if the only faults are control characters in a trailer and folded lines before the first field.
        let repaired: Data?

        var beginsWithFold: Bool {
            guard let end = bytes.firstIndex(of: 0x0A) else { return false }
            return [0x20, 0x09].contains(bytes.dropFirst(end + 1).first)
        }

        /// Whether the value of a `Content-Length` is on a line that continues the field.
        var hasFoldedLength: Bool {
            String(decoding: bytes, as: UTF8.self)
                .range(of: #"\ncontent-length:[ \t]*\r?\n[ \t]"#, options: [.regularExpression, .caseInsensitive])
                != nil
        }
    }

    @Test("Contents with lengths and chunks are read as by the other clients, and faults are errors")
    func contents() async throws {
        let count = DifferentialRun.count(1500)
        let cases: [Case] = try DifferentialRun.cases(of: "differential_responses", count)
        try #require(cases.count == count)
        let server = try LoopbackServer()
        server.route("/{number}") { request in
            let number = Int(request.parameters["number"] ?? "") ?? 0
            return .raw([.bytes(cases[number].bytes)])
        }
        let curled = try curl(server, count)
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        var run = DifferentialRun("Responses")
        for (number, sample) in cases.enumerated() {
            let own = try? await session.data(for: URLRequest(url: server.url("/\(number)"))).0
            if let content = sample.content {
                if own == content {
                    run.agree()
                } else {
                    run.differ(nil, describe(sample, own, curled[number]))
                }
                continue
            }
            let others = [sample.h11, sample.client, curled[number]]
            // A broken response may be a fault. If it is complete, it has the content that another client finds.
            let isAllowed = own == nil ? sample.h11 == nil : others.contains(own)
            if isAllowed {
                run.agree()
            } else {
                run.differ(reason(sample, own), describe(sample, own, curled[number]))
            }
        }
        run.finish(agreeing: count / 2)
    }

    /// The contents that curl finds; nil for faults.
    private func curl(_ server: LoopbackServer, _ count: Int) throws -> [Data?] {
        let folder = TemporaryFolder()
        func file(_ number: Int) -> URL { folder.url.appendingPathComponent("\(number)") }
        var complete: Set<Int> = []
        var next = 0
        // Some faults, such as a carriage return within a trailer, end the whole command: it begins again behind them.
        while next < count {
            let configuration = (next..<count).map { number in
                "url = \"\(server.url("/\(number)").absoluteString)\"\noutput = \"\(file(number).path)\"\n"
            }.joined()
            let settings = folder.url.appendingPathComponent("settings")
            try Data(("silent\nwrite-out = \"%{exitcode}\\n\"\n" + configuration).utf8).write(to: settings)
            let output = Pipe()
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["curl", "--config", settings.path]
            process.standardOutput = output
            try process.run()
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            let codes = text.split(separator: "\n")
            for (index, code) in codes.enumerated() where code == "0" { complete.insert(next + index) }
            // A command that dies has told nothing of its last response.
            next += max(1, codes.count)
        }
        return (0..<count).map { number in
            complete.contains(number) ? (try? Data(contentsOf: file(number))) ?? Data() : nil
        }
    }

    private func describe(_ sample: Case, _ own: Data?, _ curled: Data?) -> String {
        let length = { (data: Data?) in data.map { "\($0.count)" } ?? "fault" }
        let bytes = String(decoding: sample.bytes.prefix(600), as: UTF8.self).debugDescription
        return
            "\(length(own)), right \(length(sample.content)), h11 \(length(sample.h11)), http.client \(length(sample.client)), curl \(length(curled)): \(bytes)"
    }

    /// Why the engine differs; nil if there is no good reason.
    private func reason(_ sample: Case, _ own: Data?) -> String? {
        if let own, own == sample.repaired {
            if sample.beginsWithFold {
                return "a folded line before the first field is passed over (RFC 9112, section 2.2)"
            }
            return "NUL and CR in a trailer are read as blanks, as RFC 9110 permits (section 5.5)"
        }
        guard own == nil else { return nil }
        if !sample.bytes.starts(with: Data("HTTP/1.".utf8)) {
            return "a response with another version than HTTP/1.0 and HTTP/1.1 is a fault, which h11 alone accepts"
        }
        if sample.hasFoldedLength { return "libcurl reads a Content-Length before the line that continues it" }
        let hasBareReturn = zip(sample.bytes, sample.bytes.dropFirst()).contains { $0 == 0x0D && $1 != 0x0A }
        guard hasBareReturn else { return nil }
        return "a carriage return without a line feed is a fault (RFC 9112, section 2.2)"
    }
}
#endif
