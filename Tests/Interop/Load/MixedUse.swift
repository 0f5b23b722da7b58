#if os(Linux)
import Foundation
import Larkspur
import TestSupport
import Testing

/// A kind of call of the mixed use, with its right outcome.
enum MixedUse: String, CaseIterable, Sendable {
    case get, closure, post, upload, producedUpload, download, lines, abandonedSequence, events, webSocket
    case cancellation, cancelledDownload, suspension, limit, cut, reset, garbage, status, retry

    func perform(
        _ manager: SessionManager,
        _ folder: URL,
        _ generator: inout SeededGenerator
    ) async throws {
        let size = Int.random(in: 0..<100_000, using: &generator)
        switch self {
        case .get:
            #expect(try await manager.get("bytes/\(size)").data == Self.pattern(size))
        case .closure:
            let data: Data? = await withCheckedContinuation { continuation in
                manager.get("bytes/\(size)").response(as: .data) { continuation.resume(returning: $0.value) }
            }
            #expect(data == Self.pattern(size))
        case .post:
            let content = generator.bytes(size)
            #expect(try await manager.post("length", body: .data(content)).string.hasPrefix("POST \(size) "))
        case .upload:
            let file = folder.appendingPathComponent(UUID().uuidString)
            try generator.bytes(size).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            #expect(try await manager.upload("length", from: .file(file)).string.hasPrefix("POST \(size) "))
        case .producedUpload:
            let content = generator.bytes(size)
            let body = RequestBody.writer(length: Int64(size)) { writer in
                for start in stride(from: 0, to: size, by: 9_000) {
                    try await writer.write(content[start..<min(start + 9_000, size)])
                }
            }
            #expect(try await manager.put("length", body: body).string.hasPrefix("PUT \(size) "))
        case .download:
            let target = folder.appendingPathComponent(UUID().uuidString)
            let file = try await manager.download("bytes/\(size)", to: .file(target)).file
            defer { try? FileManager.default.removeItem(at: file) }
            #expect(try Data(contentsOf: file) == Self.pattern(size))
        case .lines:
            var count = 0
            for try await line in manager.get("lines/200").lines {
                #expect(line == "line \(count)")
                count += 1
            }
            #expect(count == 200)
        case .abandonedSequence:
            var count = 0
            for try await _ in manager.get("lines/2000").lines {
                count += 1
                if count == 10 { break }
            }
            #expect(count == 10)
        case .events:
            var ids: [String] = []
            for try await event in manager.get("events/50").events { ids.append(event.id) }
            #expect(ids == (0..<50).map(String.init))
        case .webSocket:
            let socket = manager.webSocket("socket")
            for number in 0..<5 {
                try await socket.send("message \(number)")
                #expect(try await socket.receive() == .text("message \(number)"))
            }
            try await socket.close()
        default: try await performFailing(manager, folder, size)
        }
    }

    /// The uses that do not end with a response, or not at once.
    private func performFailing(_ manager: SessionManager, _ folder: URL, _ size: Int) async throws {
        switch self {
        case .cancellation:
            let task = manager.get("silent")
            task.resume()
            task.cancel()
            #expect(await task.response().error?.code == .cancelled)
        case .cancelledDownload:
            let task = manager.download("bytes/4000000", to: .file(folder.appendingPathComponent(UUID().uuidString)))
            for await count in task.downloadCounts where count > size { break }
            task.cancel()
            // The download may have ended before.
            let response = await task.response()
            if let file = response.fileURL { try FileManager.default.removeItem(at: file) }
        case .suspension:
            let data: Data? = await withCheckedContinuation { continuation in
                let task = manager.get("bytes/\(size)").response(as: .data) { continuation.resume(returning: $0.value) }
                task.suspend()
                task.resume()
            }
            #expect(data == Self.pattern(size))
        case .limit:
            let error = await manager.get("silent").timeout(idle: .milliseconds(20)).response().error
            #expect(error?.code == .timedOut)
        case .cut: #expect(await manager.get("cut").response().error?.code == .connectionLost)
        case .reset: #expect(await manager.post("reset").response().error?.code == .connectionLost)
        case .garbage: #expect(await manager.get("garbage").response().error?.code == .malformedResponse)
        case .status:
            #expect(await manager.get("status/\(400 + size % 200)").response().error?.statusCode == 400 + size % 200)
        default:
            let task = manager.get("status/503")
                .intercept(with: .retry(maximumAttempts: 3, baseDelay: .milliseconds(1)))
            #expect(await task.response().error?.statusCode == 503)
        }
    }

    private static func pattern(_ size: Int) -> Data { Data((0..<size).map { UInt8(truncatingIfNeeded: $0) }) }
}
#endif
