package import Foundation
package import Testing

/// The seed of all random numbers of a run of tests: the number in the environment variable LARKSPUR_SEED, or a new
/// one.
///
/// It is printed when a test asks for it first, so that a run that ends with its process has told it too.
package enum TestSeed {
    /// The name of the environment variable that sets the seed.
    package static let variable = "LARKSPUR_SEED"

    package static let value: UInt64 = {
        let set = ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) }
        // Ten digits at most, because they are typed again.
        let seed = set ?? UInt64(UInt32.random(in: 0...UInt32.max))
        print("The random numbers of this run have the seed \(variable)=\(seed).")
        return seed
    }()
}

extension SeededGenerator {
    /// Creates a generator of the run's seed.
    /// - Parameter number: The number of the generator, where a test has several.
    package init(_ number: Int = 0) { self.init(seed: TestSeed.value &+ UInt64(truncatingIfNeeded: number)) }

    /// Returns random bytes.
    package mutating func bytes(_ count: Int) -> Data {
        (0..<(count + 7) / 8).map { _ in next() }.withUnsafeBytes { Data($0.prefix(count)) }
    }
}

#if compiler(>=6.2)
extension Trait where Self == IssueHandlingTrait {
    /// Adds the run's seed to each issue of a test.
    package static var seeded: Self {
        .compactMapIssues { issue in
            var issue = issue
            issue.comments.append("\(TestSeed.variable)=\(TestSeed.value)")
            return issue
        }
    }
}
#else
extension Trait where Self == Comment {
    /// Nothing, because issues cannot be changed before Swift 6.2. The run has printed its seed.
    package static var seeded: Self { Comment(rawValue: "\(TestSeed.variable)=\(TestSeed.value)") }
}
#endif
