#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Testing

@testable import LarkspurTransport

/// The file of a download, as the engine writes and leaves it.
@Suite("The received content of a download")
struct ReceivedContentDownloadTests {
    private let folder: DownloadFolder
    private let engine: TestEngine
    private let receiver = RecordingReceiver()
    private let task: TaskCore
    private let received: ReceivedContent

    init() throws {
        folder = try DownloadFolder()
        engine = TestEngine(options: folder.options)
        task = try engine.makeTask(.download, receiver: receiver)
        received = ReceivedContent(task: task, group: engine.exchanges)
    }

    private func take(_ text: String) -> URLError? { Data(text.utf8).withUnsafeBytes { received.take($0) } }

    /// Makes the task continue the file of an earlier download.
    private func prepareFile(_ content: String, total: Int64?) throws {
        let file = try DownloadFile(of: nil, in: folder.url)
        try Data(content.utf8).withUnsafeBytes { try file.write($0) }
        received.download.file = file
        received.download.resumption = ResumeData(
            url: try #require(task.plan.originalRequest?.url),
            fields: [:],
            validator: .entityTag("\"a\""),
            file: file.path,
            total: total,
            received: Int64(content.utf8.count),
            date: Date()
        )
        received.download.asksForRest = true
    }

    @Test("Content goes to a file as it arrives, and the file is delivered when it is complete")
    func file() throws {
        task.count { $0.expectedToReceive = 7 }
        #expect(take("one ") == nil)
        #expect(take("two") == nil)
        #expect(received.end() == nil)
        #expect(received.deliverResult() == nil)
        engine.outbox.end(task, with: received.endDownload(with: nil))
        engine.outbox.send()
        #expect(receiver.events.values == ["wrote 4 4 7", "wrote 3 7 7", "file one two", "end"])
        #expect(folder.files == [])
    }

    @Test("A response without content makes an empty file")
    func emptyFile() {
        #expect(received.deliverResult() == nil)
        engine.outbox.send()
        #expect(receiver.events.values == ["file "])
    }

    @Test("A file that cannot be created is a failure")
    func noFolder() throws {
        try FileManager.default.removeItem(at: folder.url)
        #expect(take("content")?.code == .cannotCreateFile)
        #expect(received.deliverResult()?.code == .cannotCreateFile)
    }

    @Test("The rest of a file is appended, and the delegate gets the offset")
    func appending() throws {
        try prepareFile("one ", total: 7)
        received.append(end: 7, total: 7)
        #expect(take("two") == nil)
        #expect(received.end() == nil)
        #expect(received.deliverResult() == nil)
        engine.outbox.send()
        #expect(receiver.events.values == ["resumed 4 7", "wrote 3 7 7", "file one two"])
        #expect(task.counts.received == 7 && task.counts.expectedToReceive == 7)
    }

    @Test("Content beyond the announced part is a failure, and is not written")
    func surplus() throws {
        try prepareFile("one ", total: 7)
        received.append(end: 6, total: 7)
        #expect(take("two")?.code == .badServerResponse)
        #expect(received.download.file?.length == 4)
    }

    @Test("Less content than the rest of the file is a failure", arguments: [true, false])
    func shortfall(isComplete: Bool) throws {
        try prepareFile("one ", total: 7)
        received.append(end: 7, total: 7)
        #expect(take(isComplete ? "two" : "tw") == nil)
        #expect(received.end()?.code == (isComplete ? nil : .networkConnectionLost))
    }

    @Test(
        "A download that restarts discards or leaves its earlier file, and begins with an empty one",
        arguments: [true, false]
    )
    func leaving(isDiscarded: Bool) throws {
        try prepareFile("one ", total: 7)
        received.append(end: 7, total: 7)
        received.leaveFile(discarding: isDiscarded)
        #expect(folder.files.count == (isDiscarded ? 0 : 1))
        #expect(task.counts.received == 0)
        #expect(take("other content") == nil)
        #expect(received.deliverResult() == nil)
        engine.outbox.send()
        #expect(receiver.events.values.last == "file other content")
    }

    @Test(
        "A download that the network has interrupted leaves its file and resume data; other failures leave neither",
        arguments: [
            (.networkConnectionLost, true), (.timedOut, true), (.cannotConnectToHost, true), (.cannotFindHost, true),
            (.dnsLookupFailed, true), (.notConnectedToInternet, true), (.secureConnectionFailed, true),
            (.cancelled, false), (.badServerResponse, false), (.cannotWriteToFile, false),
        ] as [(URLError.Code, Bool)]
    )
    func interruption(code: URLError.Code, isResumable: Bool) throws {
        try prepareFile("one ", total: 7)
        received.append(end: 7, total: 7)
        #expect(take("t") == nil)
        let error = received.endDownload(with: URLError(code)) as? URLError
        #expect(error?.code == code)
        #expect(folder.files.count == (isResumable ? 1 : 0))
        let data = error?.downloadTaskResumeData
        #expect(data.flatMap(ResumeData.init)?.received == (isResumable ? 5 : nil))
    }

    @Test("A resumable cancellation leaves the file, and its handler gets the same resume data as the error")
    func cancellation() throws {
        let handled = Recorder<Data?>()
        try prepareFile("one ", total: 7)
        received.download.resumeDataHandler = Transferring { handled.record($0) }
        let error = received.endDownload(with: URLError(.cancelled)) as? URLError
        engine.outbox.send()
        let data = try #require(handled.values.first ?? nil)
        #expect(ResumeData(data)?.received == 4)
        #expect(error?.downloadTaskResumeData == data)
        #expect(handled.values.count == 1)
        #expect(folder.files.count == 1)
    }

    @Test("An interrupted download without a validator leaves no file, and its handler gets no data")
    func withoutValidator() throws {
        let handled = Recorder<Data?>()
        #expect(take("one") == nil)
        received.download.resumeDataHandler = Transferring { handled.record($0) }
        let error = received.endDownload(with: URLError(.networkConnectionLost)) as? URLError
        engine.outbox.send()
        #expect(handled.values == [nil])
        #expect(error?.downloadTaskResumeData == nil)
        #expect(folder.files == [])
    }

    @Test(
        "Only an uncoded response with a strong validator and an unambiguous end leaves resume data",
        arguments: [
            (["Etag": "\"a\""], false, false, true), ([:], false, false, false),
            (["Etag": "W/\"a\""], false, false, false),
            (["Etag": "\"a\""], true, false, false), (["Etag": "\"a\""], false, true, false),
        ] as [([String: String], Bool, Bool, Bool)]
    )
    func resumeData(fields: [String: String], hasDoubtfulEnd: Bool, isDecoded: Bool, isResumable: Bool) throws {
        received.incoming.hasDoubtfulEnd = hasDoubtfulEnd
        if isDecoded { received.incoming.decoder = ContentDecoder(contentEncoding: "gzip", maximumExpansion: 100) }
        let url = try #require(task.plan.originalRequest?.url)
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
        )
        received.noteResumption(after: response, file: try received.openFile())
        task.count { $0.received = 1 }
        #expect((received.download.resumption != nil) == isResumable)
        #expect((task.currentResumeData != nil) == isResumable)
        received.download.file?.discard()
    }
}
#endif
