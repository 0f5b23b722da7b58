import Foundation
import HTTPSyntax
import TestSupport
import Testing

@testable import Larkspur

@Suite("The files of a folder store") struct StoreRecordTests {
    private let now = StoreTime(start: "s1", uptime: 1000, wall: 50)

    private func value(_ text: String = "data", end: Int64? = nil) -> StoreRecord {
        StoreRecord(.value(data: Data(text.utf8), version: "v", end: end), at: now)
    }

    private var records: [StoreRecord] {
        [
            value(), value(""), value("a\nb c", end: 5), value(end: .max), value(end: .min),
            StoreRecord(.bucket(full: -3, end: 9), at: now), StoreRecord(.bucket(full: .min, end: .max), at: now),
            StoreRecord(.lease(number: .max, end: 1), at: now), StoreRecord(.folder(number: 7), at: now),
            StoreRecord(.lease(number: 1, end: 1), at: StoreTime(start: "-", uptime: .min, wall: .max)),
        ]
    }

    @Test("A record is read as it was written, and a changed or incomplete file is none")
    func roundTrip() {
        for record in records {
            let data = record.encoded
            #expect(StoreRecord(data) == record)
            // Also a part of a larger buffer.
            #expect(StoreRecord((Data("x".utf8) + data).dropFirst()) == record)
            for count in 0..<data.count { #expect(StoreRecord(data.prefix(count)) == nil, "\(count) of \(record)") }
            #expect(StoreRecord(data + [0]) == nil)
            for index in data.indices {
                var damaged = data
                damaged[index] ^= 4
                #expect(StoreRecord(damaged) == nil, "byte \(index) of \(record)")
            }
        }
        for text in ["", "\n", "larkspur-store-1", "larkspur-store-1 \n", "larkspur-store-1 0123456789abcdef \n"] {
            #expect(StoreRecord(Data(text.utf8)) == nil)
        }
        #expect(StoreRecord(Data(repeating: 0x20, count: 100_000)) == nil)
    }

    @Test("The first line is read without the data")
    func start() throws {
        let record = value(String(repeating: "data\n", count: 1000), end: 5)
        let start = try #require(StoreRecord(start: record.encoded.prefix(StoreRecord.longestLine)))
        #expect(start == value("", end: 5))
        #expect(StoreRecord(start: record.encoded.prefix(30)) == nil && StoreRecord(start: Data("a\nb".utf8)) == nil)
        for record in records { #expect(StoreRecord(start: record.encoded)?.time == record.time) }
    }

    @Test("The format does not change")
    func format() {
        #expect(
            String(decoding: value("data", end: 5).encoded.dropFirst(34), as: UTF8.self)
                == "value s1 1000 50 5 v 4\ndata"
        )
        let lease = StoreRecord(.lease(number: .max, end: 1), at: now)
        #expect(String(decoding: lease.encoded.dropFirst(34), as: UTF8.self) == "lease s1 1000 50 1 \(UInt64.max)\n")
    }

    @Test("A value ends by the clock of its start of the system, and after another start by the wall clock")
    func values() {
        // Its lifetime is 10 microseconds.
        let record = value(end: 11_000)
        func hasEnded(_ start: String, _ uptime: Int64, _ wall: Int64) -> Bool {
            record.hasEnded(at: StoreTime(start: start, uptime: uptime, wall: wall))
        }
        // The wall clock was set.
        #expect(!hasEnded("s1", 10_999, 100) && hasEnded("s1", 11_000, 0))
        #expect(!hasEnded("s2", 50_000, 59) && hasEnded("s2", 1, 60))
        #expect(!hasEnded("s2", 50_000, .min) && hasEnded("s2", 1, .max))
        // A file of another machine with the same start.
        #expect(!hasEnded("s1", 999, 59) && hasEnded("s1", 999, 60))
        #expect(!value().hasEnded(at: StoreTime(start: "s2", uptime: .max, wall: .max)))
    }

    @Test(
        "Buckets and leases end by the clock of their start of the system, and for another start by the wall clock",
        arguments: [
            // start, uptime, wall -> present end, whether the record has ended
            ("s1", 10_999, 0, 11_000, false), ("s1", 11_000, 50, 11_000, true),
            ("s2", 7, 50, 10_007, false), ("s2", 7000, 51, 16_000, false), ("s2", 7000, 59, 8000, false),
            ("s2", 7000, 60, 7000, true), ("s2", 70_000_000, 100, 69_960_000, true),
            // If the wall clock was set back, the record also counts as old.
            ("s2", 7000, 49, 16_000, false), ("s2", 7000, 40, 7000, true), ("s2", 7000, .min, -.max + 17_000, true),
            ("s2", 7000, .max, -.max + 17_000, true),
            // A record from the future of the same start.
            ("s1", 999, 50, 10_999, false), ("s1", 999, 60, 999, true),
        ] as [(String, Int64, Int64, Int64, Bool)]
    )
    func ends(_ start: String, _ uptime: Int64, _ wall: Int64, _ end: Int64, _ hasEnded: Bool) {
        let later = StoreTime(start: start, uptime: uptime, wall: wall)
        for record in [
            StoreRecord(.bucket(full: 1500, end: 11_000), at: now),
            StoreRecord(.lease(number: 1, end: 11_000), at: now),
        ] {
            #expect(record.present(11_000, at: later) == end && record.hasEnded(at: later) == hasEnded)
            #expect(record.age(at: later) >= 0)
        }
    }

    @Test("Without a name of the start, times are converted by the wall clock, because the system may have restarted")
    func unknownStart() {
        let written = StoreTime(start: StoreTime.unknownStart, uptime: 1000, wall: 50)
        let records = [
            StoreRecord(.value(data: Data(), version: "v", end: 11_000), at: written),
            StoreRecord(.bucket(full: 1500, end: 11_000), at: written),
            StoreRecord(.lease(number: 1, end: 11_000), at: written),
        ]
        // A later start, which has lasted longer than the first one had when the records were written.
        let (before, after) = (
            StoreTime(start: StoreTime.unknownStart, uptime: 2000, wall: 59),
            StoreTime(start: StoreTime.unknownStart, uptime: 2000, wall: 60)
        )
        for record in records { #expect(!record.hasEnded(at: before) && record.hasEnded(at: after)) }
        #expect(StoreTime.unknownStart == "-")
    }

    @Test(
        "A step of a bucket follows the formula",
        arguments: [
            // interval, capacity, tolerance, full, limit -> delay, full
            (10, 30, 0, nil, 0, 0, 1010), (10, 30, 0, 1020, 0, 0, 1030), (10, 30, 0, 1021, 0, 1, nil),
            (10, 30, 0, 1021, 1, 1, 1031), (10, 30, 0, 500, 0, 0, 1010), (10, 30, 5, 500, 0, 0, 1005),
            (10, 30, 5, 997, 0, 0, 1007), (10, 10, 0, 1000, 0, 0, 1010), (10, 10, 0, 1010, 0, 10, nil),
            (0, 0, 0, nil, 0, 1, nil), (10, 30, 0, .max, 0, .max - 1030, nil),
        ] as [(Int64, Int64, Int64, Int64?, Int64, Int64, Int64?)]
    )
    func steps(
        _ interval: Int64,
        _ capacity: Int64,
        _ tolerance: Int64,
        _ full: Int64?,
        _ limit: Int64,
        _ delay: Int64,
        _ next: Int64?
    ) {
        let bucket = SharedBucket(
            interval: .nanoseconds(interval),
            capacity: .nanoseconds(capacity),
            tolerance: .nanoseconds(tolerance)
        )
        let step = StoreBucketStep(bucket, full: full, now: 1000, within: .nanoseconds(limit))
        #expect(step.delay == delay && step.full == next)
    }

    @Test("Long durations are limited, and fractions are rounded up")
    func durations() {
        #expect(Duration.seconds(Int64.max).nanoseconds == 3_155_760_000_000_000_000)
        #expect(Duration.seconds(-Int64.max).nanoseconds == -3_155_760_000_000_000_000)
        #expect(Duration(secondsComponent: 1, attosecondsComponent: 1).nanoseconds == 1_000_000_001)
        #expect(Duration.zero.nanoseconds == 0)
        #expect(Int64.max.adding(1) == .max && Int64.min.adding(-1) == .min)
        #expect(
            Int64.max.subtracting(-1) == .max && Int64.min.subtracting(1) == .min && Int64(0).subtracting(.min) == .max
        )
    }

    @Test("The clocks continue, and the start of the system is one word")
    func clocks() {
        let (first, second) = (StoreTime.now(), StoreTime.now())
        #expect(first.start == second.start && first.uptime <= second.uptime && first.uptime > 0 && first.wall > 0)
        #expect(!first.start.isEmpty && first.start.utf8.allSatisfy { PercentEncoding.isUnreserved($0) })
    }
}
