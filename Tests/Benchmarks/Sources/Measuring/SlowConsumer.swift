/// A consumer that sleeps after each MiB, so that the server is always ready with more.
package enum SlowConsumer {
    package static let sleepMilliseconds = 4

    /// How often to sleep when the number of bytes received has grown.
    package static func sleeps(from before: Int, to after: Int) -> Int { (after >> 20) - (before >> 20) }
}
