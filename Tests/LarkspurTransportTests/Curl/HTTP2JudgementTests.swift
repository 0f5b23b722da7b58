#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

@Suite("Judgement of libcurl's HTTP/2", .timeLimit(.minutes(5)))
struct HTTP2JudgementTests {
    @Test(
        "HTTP/2 frames are encoded as in RFC 9113",
        arguments: [
            (.settings, [0, 0, 0, 4, 0, 0, 0, 0, 0]), (.settingsAcknowledgement, [0, 0, 0, 4, 1, 0, 0, 0, 0]),
            (.head(of: 1), [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88]),
            (.head(of: 3, length: 6), [0, 0, 5, 1, 4, 0, 0, 0, 3, 0x88, 0x0F, 0x0D, 1, 0x36]),
            (.data(2, of: 1), [0, 0, 2, 0, 0, 0, 0, 0, 1, 0x78, 0x78]),
            (.data(0, of: 0x0102_0304, endsStream: true), [0, 0, 0, 0, 1, 1, 2, 3, 4]),
            (.reset(of: 1, .internalError), [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 2]),
            (.goAway(after: 5, .noError), [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0]),
            (.faulty, [0, 0, 1, 0, 0, 0, 0, 0, 0, 0x78]),
        ] as [(HTTP2Frame, [UInt8])]
    )
    func frames(_ frame: HTTP2Frame, _ bytes: [UInt8]) {
        #expect(frame.bytes == bytes)
    }

    @Test("The length of a frame has three bytes")
    func longFrame() {
        #expect(HTTP2Frame.data(0x01_02_03, of: 1).bytes.prefix(3) == [1, 2, 3])
    }

    @Test("Every fault has a trial, and each trial's response has at most one end")
    func trials() {
        #expect(Set(HTTP2Trial.all.map(\.fault)) == Set(HTTP2Fault.allCases))
        for trial in HTTP2Trial.all {
            let frames = trial.writes.flatMap { $0 }
            let ends = frames.filter { $0.kind == .data && $0.flags.contains(.endStream) }
            #expect(ends.count == (trial.isComplete || trial.fault == .shortContent ? 1 : 0), "\(trial)")
        }
    }

    // The faults of some versions, such as 7.76, depend on chance, but not whether there are any.
    @Test("The loaded libcurl loads a plain response, and repeated judgements agree", .enabled(if: Libcurl.hasHTTP2))
    func repetition() {
        let judgement = HTTP2Judgement.ofLoadedLibcurl
        #expect(judgement != .untried && judgement != .absent)
        for _ in 0..<20 {
            let other = HTTP2Judgement(tracesStreams: HTTP2Trust.tracesStreams)
            #expect((other == .sound) == (judgement == .sound) && other != .untried, "\(other)")
        }
    }

    @Test(
        "Without the watch of streams, a reset without an error counts as a fault",
        .enabled(if: Libcurl.hasHTTP2 && HTTP2Trust.tracesStreams)
    )
    func untraced() {
        guard case .faulty(let faults) = HTTP2Judgement(tracesStreams: false) else {
            Issue.record("Without the watch, no libcurl with a trace tells a reset without an error from an end.")
            return
        }
        #expect(faults.contains(.resetWithoutError))
    }

    @Test("Concurrent judgements do not disturb each other", .enabled(if: Libcurl.hasHTTP2))
    func threads() async {
        let judgements = await withTaskGroup(of: HTTP2Judgement?.self) { group in
            for _ in 0..<16 { group.addTask { HTTP2Judgement(tracesStreams: HTTP2Trust.tracesStreams) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let isSound = HTTP2Judgement.ofLoadedLibcurl == .sound
        #expect(judgements.map { $0 == .sound } == Array(repeating: isSound, count: 16))
    }

    @Test(
        "If descriptors run out, there is no judgement, and the next attempt makes one",
        .enabled(if: Libcurl.hasHTTP2)
    )
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            // The first attempt opens what is opened once in a process.
            let judgement = try #require(HTTP2Judgement(tracesStreams: HTTP2Trust.tracesStreams))
            let end = try endOfDescriptors() + 32
            var limit = rlimit(rlim_cur: end, rlim_max: end)
            try #require(setrlimit(__rlimit_resource_t(7), &limit) == 0)
            var opened: [Int32] = []
            while case let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC), descriptor >= 0 {
                opened.append(descriptor)
            }
            var count = 0
            repeat {
                let attempt = HTTP2Judgement(tracesStreams: HTTP2Trust.tracesStreams)
                if count == 0 {
                    #expect(attempt == nil)
                    #expect(HTTP2Judgement.ofLoadedLibcurl == .untried)
                }
                if let attempt {
                    #expect((attempt == .sound) == (judgement == .sound), "\(count) free descriptors: \(attempt)")
                    #expect(attempt != .untried, "\(count) free descriptors")
                }
                close(opened.popLast() ?? -1)
                count += 1
            } while !opened.isEmpty
            #expect((HTTP2Judgement.ofLoadedLibcurl == .sound) == (judgement == .sound))
            #expect(HTTP2Judgement.ofLoadedLibcurl != .untried)
        }
    }

    @Test("A libcurl without HTTP/2 is judged as absent", .enabled(if: !Libcurl.hasHTTP2))
    func absent() {
        #expect(HTTP2Judgement.ofLoadedLibcurl == .absent)
    }

    @Test("The reason names every fault, and the option that enables HTTP/2 in spite of them")
    func reasons() {
        #expect(HTTP2Judgement.sound.unavailability == nil)
        #expect(HTTP2Judgement.absent.unavailability == "this libcurl was built without it")
        #expect(HTTP2Judgement.untried.unavailability?.contains("HTTP2Use.always") == true)
        #expect(
            HTTP2Judgement.faulty([.resetWithoutError, .goAway, .resetDuringUpload]).unavailability
                == "not offered by default, because with this libcurl a response looks complete although its stream was "
                + "reset without an error code, or a GOAWAY has ended its stream, and a complete response fails if its "
                + "stream is reset before all of the request was sent; HTTP2Use.always offers it"
        )
        let clauses = HTTP2Fault.allCases.map(\.clause)
        #expect(Set(clauses).count == clauses.count)
    }
}
#endif
