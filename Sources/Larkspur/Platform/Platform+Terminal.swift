extension Platform {
    /// Returns the number of columns of a terminal; nil if the descriptor is not a terminal. A terminal that does not
    /// report its width has 80.
    static func terminalWidth(of descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
