#if canImport(FoundationNetworking)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

/// Runs generated cases on one session manager, and compares the outcomes with the permitted ones.
final class GeneratedRun: Sendable {
    /// The end of a call.
    enum Ending: Sendable {
        case complete(HTTPURLResponse?, content: Data, trailers: HTTPHeaders?)
        case failure(label: String, message: String)
    }

    let server: GeneratedServer
    private let manager: SessionManager
    private let folder = TemporaryFolder()
    /// The folder of the files that downloads have begun.
    private let partialFolder = TemporaryFolder()
    private let rules: GeneratedResponse.Rules
    /// The number of ends of each call with closures.
    private let endings = Mutex<[Int: Int]>([:])
    private let lastNumber = Atomic(0)

    /// - Parameters:
    ///   - server: The server of the cases.
    ///   - rules: The rules by which outcomes are right. Default: `.engine`.
    init(_ server: GeneratedServer, rules: GeneratedResponse.Rules = .engine) throws {
        var options = CurlURLSession.Options()
        options.tls.trustedRoots = .only(try server.certificate.map { [try TLSCertificate($0)] } ?? [])
        options.partialDownloadFolder = partialFolder.url
        // A connection that the session left open would otherwise be closed while the test waits for that.
        options.idleConnectionTime = .seconds(3_600)
        let configuration = URLSessionConfiguration.testing
        configuration.urlCache = nil
        configuration.httpShouldSetCookies = false
        configuration.httpMaximumConnectionsPerHost = 16
        manager = SessionManager(configuration: configuration, transport: .curl(options))
        self.server = server
        self.rules = rules
    }

    /// Ends the session, and waits for its last call.
    func finish() async throws {
        try await manager.finishAll()
        manager.invalidate(cancelingTasks: true)
    }

    /// The files that downloads have begun and left behind.
    var partialFiles: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: partialFolder.url.path) }
    }

    /// The numbers of the calls that have not ended exactly once.
    var callsOfOtherEnds: [Int] { endings.withLock { $0.filter { $0.value != 1 }.keys.sorted() } }

    /// Runs a case, and then a usual request.
    /// - Returns: The violations of the rules; empty if the outcome is right.
    func violations(of generated: GeneratedCase) async throws -> [String] {
        let number = lastNumber.add(1, ordering: .relaxed).newValue
        server.setScript(generated.script, for: number)
        defer { server.setScript(nil, for: number) }
        let file = folder.url.appendingPathComponent("\(number)")
        let url = try server.url("/case/\(number)", isSecure: generated.isSecure)
        let ending = await end(of: generated, url, number, file)
        var violations = Self.violations(of: ending, generated.expectation(rules))
        if FileManager.default.fileExists(atPath: file.path) {
            if case .failure = ending { violations.append("there is a file after an error") }
            try FileManager.default.removeItem(at: file)
        }
        return violations + (try await violationsOfUsualRequest(number, isSecure: generated.isSecure))
    }

    private func violationsOfUsualRequest(_ number: Int, isSecure: Bool) async throws -> [String] {
        let path = "/next/\(number)"
        let response = await manager.get(try server.url(path, isSecure: isSecure)).response()
        let isRight =
            response.httpResponse?.statusCode == 200
            && response.data == Data(GeneratedServer.usualContent(path).utf8)
        if isRight { return [] }
        let content = String(decoding: response.data, as: UTF8.self).debugDescription
        return ["the next request: \(response.error.map { "\($0)" } ?? content)"]
    }

    /// Performs usual requests over http, and returns the CPU time of one, in seconds.
    func timeOfUsualRequests(_ count: Int) async throws -> Double {
        let usage = ProcessUsage()
        for number in 0..<count { #expect(try await violationsOfUsualRequest(number, isSecure: false).isEmpty) }
        return usage.time / Double(count)
    }

    private func end(of generated: GeneratedCase, _ url: URL, _ number: Int, _ file: URL) async -> Ending {
        let method = HTTPMethod(rawValue: generated.method)
        let options = CallOptions(validation: .anything)
        do {
            switch generated.way {
            case .closures:
                return await withCheckedContinuation { continuation in
                    manager.request(method, url, options: options, as: .data) { task, content in
                        guard self.isFirstEnd(number) else { return }
                        continuation.resume(returning: .complete(task.httpResponse, content: content, trailers: nil))
                    } failure: { _, error in
                        guard self.isFirstEnd(number) else { return }
                        continuation.resume(returning: .failure(error))
                    }
                }
            case .chain:
                return await withCheckedContinuation { continuation in
                    manager.request(method, url, options: options).response(as: .data) { response in
                        guard self.isFirstEnd(number) else { return }
                        continuation.resume(returning: Ending(response))
                    }
                }
            case .awaited:
                return Ending(await manager.request(method, url, options: options).response(as: .data))
            case .sequence:
                let task = manager.request(method, url, options: options)
                var content = Data()
                for try await chunk in task.chunks { content += chunk }
                return .complete(task.httpResponse, content: content, trailers: task.trailers)
            case .opened:
                let task = manager.request(method, url, options: options)
                let (head, chunks) = try await task.open()
                var content = Data()
                for try await chunk in chunks { content += chunk }
                return .complete(head, content: content, trailers: task.trailers)
            case .download:
                let response = await manager.download(url, method: method, options: options, to: .file(file)).response()
                let http = response.response as? HTTPURLResponse
                // A file with which the download could continue stays.
                response.error?.resumeData.map(CurlURLSession.discardResumeData)
                let content = try Data(contentsOf: try response.result.get())
                return .complete(http, content: content, trailers: response.trailers)
            }
        } catch let error as LarkspurError {
            return .failure(error)
        } catch {
            return .failure(label: "another error", message: "\(error)")
        }
    }

    private func isFirstEnd(_ number: Int) -> Bool {
        endings.withLock { endings in
            endings[number, default: 0] += 1
            return endings[number] == 1
        }
    }

    // MARK: The comparison

    /// Compares an end with the permitted outcomes.
    static func violations(of ending: Ending, _ expected: GeneratedResponse.Expectation) -> [String] {
        switch ending {
        case .failure(let label, let message):
            let isPermitted = GeneratedResponse.Failure(rawValue: label).map(expected.failures.contains) ?? false
            return isPermitted ? [] : ["the error \(label) (\(message))"]
        case .complete(let response, let content, let trailers):
            guard let complete = expected.complete else {
                return ["complete with status \(response?.statusCode ?? 0) and \(content.count) bytes"]
            }
            var violations: [String] = []
            if response?.statusCode != complete.status { violations.append("the status \(response?.statusCode ?? 0)") }
            if content != Data(complete.content) {
                let text = String(decoding: content.prefix(200), as: UTF8.self).debugDescription
                violations.append("other content: \(content.count) bytes instead of \(complete.content.count), \(text)")
            }
            for (name, value) in complete.fields {
                let received = response?.value(forHTTPHeaderField: name)
                if received != value { violations.append("the field \(name) is \(received.debugDescription)") }
            }
            for (name, value) in complete.trailers where trailers != nil && trailers?[name] != value {
                violations.append("the trailer \(name) is \((trailers?[name]).debugDescription)")
            }
            return violations
        }
    }
}

extension GeneratedRun.Ending {
    fileprivate init(_ response: DataResponse<Data>) {
        switch response.result {
        case .success(let content):
            self = .complete(response.response as? HTTPURLResponse, content: content, trailers: response.trailers)
        case .failure(let error): self = .failure(error)
        }
    }

    static func failure(_ error: LarkspurError) -> Self { .failure(label: error.label, message: "\(error)") }
}
#endif
