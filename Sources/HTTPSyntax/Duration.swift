extension Duration {
    /// The duration in seconds, for the functions of Foundation and Dispatch that take seconds.
    package var timeInterval: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
