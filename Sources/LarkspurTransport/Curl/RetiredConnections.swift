#if canImport(FoundationNetworking)
/// The connections that get no more requests, by libcurl's numbers.
///
/// libcurl closes each as soon as it can, so only the last few matter.
struct RetiredConnections {
    private static let capacity = 64

    private var numbers: [Int64] = []

    mutating func insert(_ number: Int64) {
        guard !numbers.contains(number) else { return }
        if numbers.count == Self.capacity { numbers.removeFirst() }
        numbers.append(number)
    }

    func contains(_ number: Int64) -> Bool { numbers.contains(number) }
}
#endif
