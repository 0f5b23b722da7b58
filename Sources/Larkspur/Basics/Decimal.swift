extension Double {
    /// Returns the number with a fixed number of digits after the point, as in "1234.50". If the number is not finite,
    /// or not below 10¹², returns "-".
    ///
    /// `String(format:)` is not used, because C's functions write the decimal separator of the process's locale.
    package func decimal(digits: Int) -> String {
        guard isFinite, abs(self) < 1e12 else { return "-" }
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int((abs(self) * Double(scale)).rounded())
        let fraction = String(scaled % scale)
        let sign = self < 0 && scaled > 0 ? "-" : ""
        let zeros = String(repeating: "0", count: max(0, digits - fraction.utf8.count))
        return sign + "\(scaled / scale)" + (digits > 0 ? "." + zeros + fraction : "")
    }
}
