#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

@Suite("DownloadState")
struct DownloadStateTests {
    @Test("A download that leaves its file releases the file and its resume data, and keeps its handler")
    func leavingFile() throws {
        let folder = try DownloadFolder()
        let handled = Recorder<Data?>()
        var state = DownloadState()
        let file = try DownloadFile(of: nil, in: folder.url)
        state.file = file
        state.resumption = ResumeData(
            url: try #require(URL(string: "http://origin.test/")),
            fields: [:],
            validator: .entityTag("\"a\""),
            file: file.path,
            total: 7,
            received: 4,
            date: Date()
        )
        state.asksForRest = true
        state.end = 7
        state.isPrepared = true
        state.resumeDataHandler = Transferring { handled.record($0) }
        state.leaveFile()
        #expect(state.file == nil && state.resumption == nil && state.end == nil)
        #expect(!state.asksForRest)
        // The search for the file is not made again, and the cancellation is not forgotten.
        #expect(state.isPrepared)
        #expect(state.resumeDataHandler != nil)
    }

    @Test("Copies of a download's state have separate resume data")
    func copies() throws {
        var state = DownloadState()
        state.resumption = ResumeData(
            url: try #require(URL(string: "http://origin.test/")),
            fields: [:],
            validator: .entityTag("\"a\""),
            file: "/file",
            total: nil,
            received: 1,
            date: Date()
        )
        let copy = state
        state.leaveFile()
        #expect(copy.resumption?.received == 1)
        #expect(state.resumption == nil)
    }
}
#endif
