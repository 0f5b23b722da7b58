/// Keeps reading to a number of bytes a second.
struct Throttle {
    private let bytesPerSecond: Int
    private let clock: any ThrottleClock
    /// When the next piece may be read.
    private var turn: Duration

    /// - Parameter bytesPerSecond: At least 1; less counts as that.
    init(bytesPerSecond: Int, clock: any ThrottleClock) {
        self.bytesPerSecond = max(1, bytesPerSecond)
        self.clock = clock
        turn = clock.now
    }

    /// How much to read at once: a tenth of a second's worth, so that no wait is long and what is sent comes evenly.
    var pieceSize: Int { max(1, bytesPerSecond / 10) }

    func waitForTurn() {
        let now = clock.now
        if now < turn { clock.sleep(for: turn - now) }
    }

    /// Takes account of what was read. Time in which nobody read is not made up for.
    mutating func note(_ count: Int) {
        turn = max(turn, clock.now) + .seconds(Double(count) / Double(bytesPerSecond))
    }
}
