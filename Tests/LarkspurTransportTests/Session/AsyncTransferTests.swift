#if canImport(FoundationNetworking)
import Dispatch
import Foundation
import FoundationNetworking
import Testing

@testable import LarkspurTransport

/// How a session's tasks are awaited, with tasks that end when and as often as a test says.
@Suite(.timeLimit(.minutes(5)))
struct AsyncTransferTests {
    enum Method: CaseIterable, Sendable {
        case dataRequest, dataURL, uploadData, uploadFile, downloadRequest, downloadURL, downloadResumeData

        var factory: String {
            switch self {
            case .dataRequest: "data request"
            case .dataURL: "data url"
            case .uploadData: "upload data"
            case .uploadFile: "upload file"
            case .downloadRequest: "download request"
            case .downloadURL: "download url"
            case .downloadResumeData: "download resume data"
            }
        }

        func call(_ session: URLSession, _ url: URL) async throws -> URLResponse {
            let request = URLRequest(url: url)
            return switch self {
            case .dataRequest: try await session.data(for: request).1
            case .dataURL: try await session.data(from: url).1
            case .uploadData: try await session.upload(for: request, from: Data()).1
            case .uploadFile: try await session.upload(for: request, fromFile: url).1
            case .downloadRequest: try await session.download(for: request).1
            case .downloadURL: try await session.download(from: url).1
            case .downloadResumeData: try await session.download(resumeFrom: Data()).1
            }
        }

        func call(_ session: URLSession, _ url: URL, delegate: any URLSessionTaskDelegate) async throws {
            let request = URLRequest(url: url)
            switch self {
            case .dataRequest: _ = try await session.data(for: request, delegate: delegate)
            case .dataURL: _ = try await session.data(from: url, delegate: delegate)
            case .uploadData: _ = try await session.upload(for: request, from: Data(), delegate: delegate)
            case .uploadFile: _ = try await session.upload(for: request, fromFile: url, delegate: delegate)
            case .downloadRequest: _ = try await session.download(for: request, delegate: delegate)
            case .downloadURL: _ = try await session.download(from: url, delegate: delegate)
            case .downloadResumeData: _ = try await session.download(resumeFrom: Data(), delegate: delegate)
            }
        }
    }

    private final class Delegate: NSObject, URLSessionTaskDelegate {}

    let url: URL
    let response: URLResponse

    init() throws {
        url = try #require(URL(string: "http://host.invalid/"))
        response = URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
    }

    @Test("An overridden factory method makes the task, which is resumed once", arguments: Method.allCases)
    func factories(_ method: Method) async throws {
        let folder = try TemporaryDirectory()
        let session = ScriptedSession(.init(onResume: { [response] in $0(response, nil) }, file: try folder.file()))
        #expect(try await method.call(session, url) === response)
        #expect(session.factories == [method.factory])
        #expect(session.calls == ["resume"])
    }

    @Test("A delegate is set before the task is resumed", arguments: Method.allCases)
    func delegates(_ method: Method) async throws {
        let folder = try TemporaryDirectory()
        let session = ScriptedSession(.init(onResume: { [response] in $0(response, nil) }, file: try folder.file()))
        try await method.call(session, url, delegate: Delegate())
        #expect(session.factories == [method.factory])
        #expect(session.calls == ["resume with delegate"])
    }

    private func thrownCode(_ body: () async throws -> Void) async -> URLError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? URLError)?.code
        }
    }

    @Test("A task's error is thrown unchanged", arguments: Method.allCases)
    func errors(_ method: Method) async throws {
        let session = ScriptedSession(.init(onResume: { $0(nil, URLError(.cannotFindHost)) }))
        let code = await thrownCode { _ = try await method.call(session, url) }
        #expect(code == .cannotFindHost)
    }

    @Test(
        "A task that ends without an error and a response, or without a file, is an error",
        arguments: Method.allCases
    )
    func nothing(_ method: Method) async throws {
        let silent = ScriptedSession(.init(onResume: { $0(nil, nil) }))
        let silentCode = await thrownCode { _ = try await method.call(silent, url) }
        #expect(silentCode == .badServerResponse)

        let empty = ScriptedSession(.init(onResume: { [response] in $0(response, nil) }))
        let emptyCode = await thrownCode { _ = try await method.call(empty, url) }
        #expect(emptyCode == (method.factory.hasPrefix("download") ? .unknown : nil))
    }

    @Test("A task that ends when it is made, or ends twice, ends the wait once", arguments: Method.allCases)
    func earlyAndTwice(_ method: Method) async throws {
        let session = ScriptedSession(
            .init(
                onMake: { $0(nil, URLError(.notConnectedToInternet)) },
                onResume: { [response] end in for _ in 0..<2 { end(response, nil) } }
            )
        )
        let code = await thrownCode { _ = try await method.call(session, url) }
        #expect(code == .notConnectedToInternet)

        let twice = ScriptedSession(
            .init(onResume: { end in for _ in 0..<2 { end(nil, URLError(.timedOut)) } })
        )
        let twiceCode = await thrownCode { _ = try await method.call(twice, url) }
        #expect(twiceCode == .timedOut)
    }

    @Test("A Swift task that was cancelled makes no task", arguments: Method.allCases)
    func cancelledBefore(_ method: Method) async throws {
        let session = ScriptedSession(.init())
        let code = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await thrownCode { _ = try await method.call(session, url) }
        }.value
        #expect(code == .cancelled)
        #expect(session.factories.isEmpty)
    }

    @Test(
        "If the Swift task is cancelled while the session task is made, that is cancelled and not resumed",
        arguments: Method.allCases
    )
    func cancelledBetween(_ method: Method) async throws {
        let session = ScriptedSession(.init(onMake: { _ in withUnsafeCurrentTask { $0?.cancel() } }))
        let code = await Task { await thrownCode { _ = try await method.call(session, url) } }.value
        #expect(code == .cancelled)
        #expect(session.calls == ["cancel"])
    }

    @Test("A cancellation reaches a running task, which may end during the call", arguments: Method.allCases)
    func cancelledDuring(_ method: Method) async throws {
        // Resuming the task cancels the Swift task, and that the task, which ends: all in one call.
        let session = ScriptedSession(.init(onResume: { _ in withUnsafeCurrentTask { $0?.cancel() } }))
        let code = await Task { await thrownCode { _ = try await method.call(session, url) } }.value
        #expect(code == .cancelled)
        #expect(session.calls == ["resume", "cancel"])
    }

    @Test("A task that has ended is not cancelled")
    func cancelledAfter() async throws {
        let session = ScriptedSession(.init(onResume: { [response] in $0(response, nil) }))
        await Task {
            _ = try? await session.data(from: url)
            withUnsafeCurrentTask { $0?.cancel() }
        }.value
        #expect(session.calls == ["resume"])
    }

    @Test("Cancellations that race with the ends of tasks end each wait once")
    func storm() async throws {
        let queue = DispatchQueue(label: "ends", attributes: .concurrent)
        let session = ScriptedSession(
            .init(
                onResume: { [response] end in queue.async { end(response, nil) } },
                onCancel: { end in queue.async { end(nil, URLError(.cancelled)) } }
            )
        )
        let ended = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<2000 {
                group.addTask {
                    let transfer = Task { try await session.data(from: url) }
                    await Task.yield()
                    transfer.cancel()
                    switch await transfer.result {
                    case .success: return true
                    case .failure(let error): return (error as? URLError)?.code == .cancelled
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(ended == 2000)
    }

    @Test("A downloaded file outlives the completion handler, and stays in its folder")
    func keptFile() async throws {
        let folder = try TemporaryDirectory()
        let original = try folder.file()
        let session = ScriptedSession(
            .init(
                onResume: { [response] end in
                    end(response, nil)
                    try? FileManager.default.removeItem(at: original)
                },
                file: original
            )
        )
        let (file, _) = try await session.download(from: url)
        #expect(file != original)
        #expect(file.deletingLastPathComponent().path == original.deletingLastPathComponent().path)
        #expect(try Data(contentsOf: file) == Data("content".utf8))
    }

    @Test("A downloaded file that cannot be moved is an error of the file system")
    func lostFile() async throws {
        let file = URL(fileURLWithPath: "/no/such/folder/file")
        let session = ScriptedSession(.init(onResume: { [response] in $0(response, nil) }, file: file))
        await #expect(throws: CocoaError.self) { try await session.download(from: url) }
    }
}

/// A folder that is removed with its contents when it is released.
final class TemporaryDirectory: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("Tests-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ content: Data = Data("content".utf8)) throws -> URL {
        let file = url.appendingPathComponent(UUID().uuidString)
        try content.write(to: file)
        return file
    }
}
#endif
