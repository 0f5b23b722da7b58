import TestSupport
import Testing

@testable import Larkspur

@Suite("The attempts that wait for tokens of a shared bucket", .timeLimit(.minutes(5)))
struct SharedRateLaneTests {
    private struct Failure: Error {}

    private static func rules(
        _ count: Int = 10,
        burst: Int? = nil,
        share: Double = 0.5,
        timeout: Duration = .milliseconds(500)
    ) -> SharedRateRules {
        SharedRateRules(count: count, period: .seconds(1), burst: burst, share: share, timeout: timeout)
    }

    /// A lane of attempts that are numbers, and what has become of them.
    private struct Run {
        var lane: SharedRateLane<Int>
        var begun: [Int] = []
        var refused: [Int] = []
        /// The attempts that have reported a failure.
        var reporters: [Int] = []
        /// The bucket, the number and the limit of each step.
        var steps: [(SharedBucket, Int, limit: Duration)] = []

        init(_ rules: SharedRateRules, outage: SharedStoreOutage? = nil) {
            lane = SharedRateLane(rules, SharedStoreRecord(outage: outage))
        }

        mutating func add(_ id: Int, priority: Int = 0, at milliseconds: Int) {
            lane.add(id, id, priority: priority)
            advance(at: milliseconds)
        }

        mutating func answer(_ delay: Duration, at milliseconds: Int) {
            end(.success(delay), at: milliseconds)
        }

        mutating func end(_ result: Result<Duration, any Error>, step: Int? = nil, at milliseconds: Int) {
            lane.end(step: step ?? steps.last?.1 ?? 0, result, at: .milliseconds(milliseconds))
            advance(at: milliseconds)
        }

        mutating func advance(at milliseconds: Int) {
            let number = 100 + steps.count
            let (outcomes, step) = lane.advance(at: .milliseconds(milliseconds), nextStep: number)
            if let step { steps.append((step.bucket, number, step.limit)) }
            for (id, outcome) in outcomes {
                switch outcome {
                case .begin(let failure):
                    begun.append(id)
                    if failure != nil { reporters.append(id) }
                case .refuse(_, let reports):
                    refused.append(id)
                    if reports { reporters.append(id) }
                }
            }
        }

        /// The time of the next step, in milliseconds.
        func nextTime(at milliseconds: Int) -> Int? {
            lane.nextTime(at: .milliseconds(milliseconds)).map { Int($0 / .milliseconds(1)) }
        }
    }

    @Test("An attempt that need not wait takes one step of the store, and leaves nothing behind")
    func single() {
        var run = Run(Self.rules())
        run.add(1, at: 0)
        #expect(run.steps.count == 1 && run.steps.first?.0.tolerance == .zero && run.nextTime(at: 0) == 500)
        run.answer(.zero, at: 1)
        #expect(run.begun == [1] && run.steps.count == 1 && run.lane.isIdle && run.nextTime(at: 1) == nil)
    }

    @Test("A token is not for the attempt that was first, but for the one with the highest priority at its time")
    func priorities() {
        var run = Run(Self.rules())
        run.add(1, at: 0)
        run.answer(.milliseconds(100), at: 0)
        run.add(2, priority: 5, at: 50)
        #expect(run.nextTime(at: 50) == 100 && run.steps.count == 1)
        run.advance(at: 100)
        #expect(run.begun == [2] && run.steps.count == 2)
        // The other attempt has waited, so that later tokens make up for a late timer.
        #expect(run.steps.last.map { $0.0.tolerance > .zero } == true)
    }

    @Test("The token of a cancelled attempt is for the next one until its time, and lost then")
    func unusedToken() {
        var run = Run(Self.rules())
        run.add(1, at: 0)
        run.answer(.milliseconds(100), at: 0)
        #expect(run.lane.remove(1) == 1)
        run.advance(at: 10)
        run.add(2, at: 50)
        run.advance(at: 100)
        #expect(run.begun == [2] && run.steps.count == 1 && run.lane.isIdle)

        run.add(3, at: 200)
        run.answer(.milliseconds(100), at: 200)
        #expect(run.lane.remove(3) == 3)
        #expect(run.nextTime(at: 200) == 300)
        run.advance(at: 300)
        #expect(run.lane.isIdle)
        run.add(4, at: 301)
        #expect(run.begun == [2] && run.steps.count == 3)
    }

    @Test("A token that is far away is taken shortly in advance, and earlier by a process that has tried more often")
    func farToken() {
        var run = Run(SharedRateRules(count: 1, period: .seconds(60), burst: nil, share: 1, timeout: .seconds(1)))
        run.add(1, at: 0)
        run.answer(.seconds(60), at: 0)
        #expect(run.lane.outage == nil && run.nextTime(at: 0) == 59_410)
        run.advance(at: 59_410)
        // Another process was faster.
        run.answer(.milliseconds(60_590), at: 59_410)
        #expect(run.nextTime(at: 59_410) == 119_344)
        run.advance(at: 119_344)
        #expect(run.steps.map(\.limit) == [500, 600, 666].map { .milliseconds($0) })
        run.answer(.milliseconds(656), at: 119_344)
        run.advance(at: 120_000)
        #expect(run.begun == [1])
        // The process has got a token, so that others come before it.
        run.add(2, at: 120_000)
        #expect(run.steps.last?.limit == .milliseconds(500))
    }

    @Test("Without the store, attempts get the share of the rate, and the first one reports the failure")
    func share() {
        var run = Run(Self.rules(share: 0.5))
        for id in 1...3 { run.add(id, at: 0) }
        run.end(.failure(Failure()), at: 0)
        // The bucket is empty at first.
        #expect(run.begun == [] && run.nextTime(at: 0) == 200)
        for time in [200, 400] { run.advance(at: time) }
        #expect(run.begun == [1, 2] && run.reporters == [1] && run.steps.count == 1)
        run.advance(at: 600)
        #expect(run.begun == [1, 2, 3] && run.lane.isIdle)
    }

    @Test("After a second, the store is tried again, while attempts continue")
    func recovery() {
        var run = Run(Self.rules(share: 0.5))
        run.add(1, at: 0)
        run.end(.failure(Failure()), at: 0)
        for (id, time) in [(2, 200), (3, 400), (4, 600), (5, 800), (6, 1000), (7, 1200)] { run.add(id, at: time) }
        #expect(run.begun == [1, 2, 3, 4, 5, 6] && run.steps.count == 2)
        run.end(.failure(Failure()), at: 1250)
        #expect(run.lane.outage != nil && run.reporters == [1])
        run.advance(at: 2250)
        run.add(8, at: 2250)
        run.answer(.zero, at: 2251)
        #expect(run.lane.outage == nil && run.steps.count == 3)
        // Another outage is reported again.
        run.add(9, at: 3000)
        run.end(.failure(Failure()), at: 3000)
        run.advance(at: 3200)
        #expect(run.begun.last == 9 && run.reporters == [1, 9])
    }

    @Test("An attempt that gets a token of its own process gives rise to a trial of the store, too")
    func trial() {
        let outage = SharedStoreOutage(.failed(Failure()), retryTime: .seconds(1), fullTime: .zero)
        var run = Run(Self.rules(), outage: outage)
        run.add(1, at: 5000)
        #expect(run.begun == [1] && run.steps.count == 1 && !run.lane.isIdle)
        run.answer(.zero, at: 5001)
        #expect(run.lane.outage == nil)
        run.advance(at: 5500)
        // The process still uses at most its share, until a second after the outage.
        #expect(run.lane.isIdle && run.lane.record(at: .milliseconds(5500))?.recovery?.end == .milliseconds(6001))
        #expect(run.lane.record(at: .milliseconds(6001)) == nil)
    }

    @Test("For a second after an outage, the process uses at most its share, and then the tokens of the store")
    func afterOutage() {
        // Ten attempts in a second for all processes, and five for this one.
        let outage = SharedStoreOutage(.failed(Failure()), retryTime: .seconds(1), fullTime: .milliseconds(5200))
        var run = Run(Self.rules(share: 0.5), outage: outage)
        for id in 1...20 { run.add(id, at: 5000) }
        run.answer(.zero, at: 5000)
        var times: [Int] = []
        for time in stride(from: 5000, through: 6400, by: 10) {
            let count = run.begun.count
            run.advance(at: time)
            // The store gives a token at any time.
            if let step = run.steps.last?.1, run.lane.stepNumber == step { run.answer(.zero, at: time) }
            times += Array(repeating: time, count: run.begun.count - count)
        }
        #expect((4...5).contains(times.count { $0 < 6000 }))
        #expect(times.count { $0 >= 6000 } > 5)
    }

    @Test("A token waits for a slow share at most until the second after an outage ends")
    func slowShare() {
        let rules = SharedRateRules(
            count: 1,
            period: .seconds(60),
            burst: nil,
            share: 0.25,
            timeout: .milliseconds(500)
        )
        var run = Run(rules)
        run.add(1, at: 0)
        run.end(.failure(Failure()), at: 0)
        #expect(run.nextTime(at: 0) == 1000)
        run.advance(at: 1000)
        run.answer(.zero, at: 1010)
        // The share would allow it after four minutes.
        #expect(run.nextTime(at: 1010) == 2010)
        run.advance(at: 2010)
        #expect(run.begun == [1] && run.lane.isIdle)
    }

    @Test("Without a share, attempts are refused at once, and wait only for a trial of the store")
    func refusal() {
        var run = Run(Self.rules(share: 0))
        for id in 1...2 { run.add(id, at: 0) }
        run.end(.failure(Failure()), at: 10)
        run.add(3, at: 500)
        #expect(run.refused == [1, 2, 3] && run.reporters == [1] && run.steps.count == 1 && run.lane.isIdle)
        run.add(4, at: 1010)
        #expect(run.refused.count == 3 && run.steps.count == 2)
        run.answer(.zero, at: 1020)
        #expect(run.begun == [4] && run.lane.outage == nil)
    }

    @Test("A step that takes too long is a failure, and its late result has no effect")
    func slow() {
        var run = Run(Self.rules(share: 1))
        run.add(1, at: 0)
        #expect(run.nextTime(at: 0) == 500)
        run.advance(at: 500)
        #expect(run.lane.outage != nil && run.nextTime(at: 500) == 600)
        let step = run.steps.last?.1
        run.end(.success(.zero), step: step, at: 550)
        #expect(run.lane.outage != nil && run.nextTime(at: 550) == 600)
        run.advance(at: 600)
        #expect(run.begun == [1] && run.reporters == [1])
    }

    @Test(
        "An impossible delay is a failure",
        arguments: [.nanoseconds(-1), .seconds(Int64.min / 2), .seconds(Int64.max), .milliseconds(1301)] as [Duration]
    )
    func impossible(_ delay: Duration) {
        var run = Run(Self.rules(share: 1))
        run.add(1, at: 0)
        run.answer(delay, at: 0)
        guard case .impossibleDelay(delay)? = run.lane.outage?.failure else {
            Issue.record("The failure is \(String(describing: run.lane.outage))")
            return
        }
        run.advance(at: 100)
        #expect(run.begun == [1])
    }

    @Test("The largest numbers and the smallest shares do not overflow")
    func largest() {
        let longest = Duration.seconds(Int64.max)
        for share in [Double.nan, -1, 0, 1e-300, 1, .infinity] {
            for count in [Int.min, 1, .max] {
                let rules = SharedRateRules(count: count, period: longest, burst: .max, share: share, timeout: longest)
                #expect((rules.ownSchedule == nil) == !(share > 0))
                for result in [.success(rules.longestDelay), .failure(Failure())] as [Result<Duration, any Error>] {
                    var run = Run(rules)
                    run.add(1, at: 0)
                    run.end(result, at: 0)
                    _ = run.nextTime(at: 1)
                    run.advance(at: .max / 1_000_000)
                    #expect((run.nextTime(at: .max / 1_000_000) ?? 0) >= 0)
                }
                #expect(rules.bucket(afterWaiting: true).capacity >= rules.bucket(afterWaiting: true).interval)
            }
        }
    }

    @Test(
        "The bucket in a store has whole nanoseconds, and a whole number of tokens",
        arguments: [1, 3, 7, 150, 700, 60_000, .max],
        [1, 3, 50, .max]
    )
    func bucket(_ count: Int, burst: Int) {
        for period in [Duration.seconds(1), .seconds(60), .seconds(86_400 * 31), .seconds(Int64.max)] {
            let rules = SharedRateRules(count: count, period: period, burst: burst, share: 1, timeout: .seconds(1))
            let bucket = rules.bucket(afterWaiting: true)
            for duration in [bucket.interval, bucket.capacity, bucket.tolerance, rules.longestDelay] {
                #expect(duration.components.attoseconds % 1_000_000_000 == 0)
            }
            let schedule = RateSchedule(count: count, period: period, burst: burst)
            #expect(bucket.interval >= schedule.interval && bucket.interval - schedule.interval <= .nanoseconds(1))
            #expect(bucket.interval > .zero && bucket.capacity >= bucket.interval)
            #expect(bucket.capacity.nanoseconds % bucket.interval.nanoseconds == 0)
            #expect(
                burst > 50 || bucket.capacity == bucket.interval * burst || bucket.capacity > .seconds(1_000_000_000)
            )
        }
        let rules = Self.rules(3)
        #expect(rules.bucket(afterWaiting: false).capacity == .nanoseconds(333_333_334))
        #expect(rules.longestDelay == .nanoseconds(1_666_666_668))
    }

    // MARK: The model

    @Test(
        "Processes under load get about equal parts, even if a token of each of them takes longer than a second",
        .seeded,
        arguments: [(1, 4), (1, 1), (7, 20), (10, 20), (100, 60)],
        [0, 50_000_000]
    )
    func fairness(_ load: (count: Int, processes: Int), distance: Int) {
        let (count, processes) = load
        // A hundred tokens for each process.
        let seconds = 100 * processes / count
        var model = SharedRateModel(SeededGenerator(count), Self.rules(count, share: 0), processes: processes)
        (model.isSaturated, model.end, model.distance) = (true, seconds * 1_000_000_000, distance)
        // Every other process has one attempt at a time.
        for process in 0..<processes {
            for _ in 0..<(process % 2 == 0 ? 1 : 32) { model.add(process, after: 0) }
        }
        model.run()
        #expect(model.violations == [] && model.refusals == 0)
        #expect(model.begins.count >= 97 * processes && model.begins.count <= 100 * processes + 1)
        #expect(SharedRateModel.most(model.grants) <= count + 1)
        // A process with a long way to the store gets less.
        #expect((model.counts.min() ?? 0) >= (distance > 0 ? 10 : 50), "\(model.counts)")
        #expect((model.counts.max() ?? 0) <= 200, "\(model.counts)")
        #expect(model.steps <= 16 * model.begins.count)
    }

    @Test(
        "Processes under load use at least 97 % of the rate, and no second gets more than the rate and the burst",
        .seeded,
        arguments: [1, 4, 16],
        [1, 20]
    )
    func use(_ processes: Int, burst: Int) {
        let rules = Self.rules(200, burst: burst, share: 0)
        var model = SharedRateModel(SeededGenerator(processes), rules, processes: processes)
        (model.isSaturated, model.end) = (true, 10_000_000_000)
        for process in 0..<processes { for _ in 0..<32 { model.add(process, after: 0) } }
        model.run()
        #expect(model.violations == [] && model.refusals == 0)
        #expect(model.begins.count >= 1940 && model.begins.count <= 2000 + burst)
        #expect(SharedRateModel.most(model.grants) <= 200 + burst)
        // At the server, an attempt may be late, at most one of each process.
        #expect(SharedRateModel.most(model.begins) <= 200 + burst + processes)
        // One step for each token.
        #expect(model.steps <= model.begins.count + 2 * processes)
    }

    @Test("With a store that fails at random, each attempt ends once, by its priority, and none waits forever", .seeded)
    func randomSequences() {
        for number in 0..<150 {
            var generator = SeededGenerator(number)
            let count = [1, 20, 200, 5000].randomElement(using: &generator) ?? 1
            let burst = [1, 5, 50].randomElement(using: &generator) ?? 1
            let share: Double = [0, 0.25, 1].randomElement(using: &generator) ?? 0
            let processes = Int.random(in: 1...4, using: &generator)
            let faults: Double = [0, 0.1, 0.5, 1].randomElement(using: &generator) ?? 0
            let cancellations: Double = [0, 0.2].randomElement(using: &generator) ?? 0
            let attempts = Int.random(in: 1...200, using: &generator)
            var model = SharedRateModel(generator, Self.rules(count, burst: burst, share: share), processes: processes)
            (model.faults, model.cancellations) = (faults, cancellations)
            for _ in 0..<attempts {
                model.add(
                    Int.random(in: 0..<processes, using: &generator),
                    after: Int.random(in: 0..<10_000_000_000, using: &generator),
                    priority: Int.random(in: 0...2, using: &generator)
                )
            }
            model.run()
            let text = "\(number): \(count) a second, burst \(burst), share \(share), faults \(faults)"
            #expect(model.violations == [], "\(text)")
            #expect(SharedRateModel.most(model.grants) <= count + burst, "\(text)")
            if faults == 0 {
                #expect(model.refusals == 0, "\(text)")
                #expect(SharedRateModel.most(model.begins) <= count + burst + processes, "\(text)")
            }
        }
    }
}
