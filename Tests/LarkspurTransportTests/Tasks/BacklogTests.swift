#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite(.timeLimit(.minutes(5))) struct BacklogTests {
    @Test("A transfer pauses at the upper mark, and continues once below the lower mark")
    func marks() {
        let backlog = Backlog()
        backlog.add(Backlog.upperMark - 1)
        #expect(!backlog.pausesTransfer())
        backlog.add(1)
        #expect(backlog.pausesTransfer())
        #expect(!backlog.consume(Backlog.upperMark - Backlog.lowerMark))
        #expect(backlog.consume(1))
        #expect(!backlog.consume(1))
    }

    @Test("Consumption without a pause does not resume the transfer")
    func withoutPause() {
        let backlog = Backlog()
        backlog.add(100)
        #expect(!backlog.consume(100))
    }

    @Test("A transfer that pauses while another thread consumes its content always continues")
    func race() async {
        let backlog = Backlog()
        for _ in 0..<2000 {
            backlog.add(Backlog.upperMark)
            async let resumes = Task.detached { backlog.consume(Backlog.upperMark) }.value
            let pauses = backlog.pausesTransfer()
            let isResumed = await resumes
            // Who pauses is told to go on.
            #expect(pauses == isResumed)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct TransferCountsTests {
    @Test("Progress is indeterminate until both lengths are known")
    func lengths() {
        let progress = Progress(totalUnitCount: 0)
        var counts = TransferCounts()
        counts.received = 5
        counts.show(in: progress)
        #expect(progress.totalUnitCount == -1)
        counts.expectedToReceive = 10
        counts.expectedToSend = 20
        counts.sent = 20
        counts.show(in: progress)
        #expect(progress.totalUnitCount == 30)
        #expect(progress.completedUnitCount == 25)
        counts.expectedToSend = NSURLSessionTransferSizeUnknown
        counts.show(in: progress)
        #expect(progress.totalUnitCount == -1)
    }

    @Test(
        "The progress is finished at the end, whatever length was expected, and also without content",
        arguments: [Int64(0), 7]
    )
    func finish(received: Int64) {
        let progress = Progress(totalUnitCount: 0)
        TransferCounts(received: received, expectedToReceive: 100).end(progress)
        #expect(progress.isFinished)
    }

    @Test("Lengths whose sum overflows do not end the process")
    func overflow() {
        let progress = Progress(totalUnitCount: 0)
        let counts = TransferCounts(received: .max, sent: 1, expectedToReceive: .max, expectedToSend: .max)
        counts.show(in: progress)
        counts.end(progress)
    }
}
#endif
