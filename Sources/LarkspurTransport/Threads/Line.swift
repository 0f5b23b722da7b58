#if canImport(FoundationNetworking)
/// Elements that are taken in the order in which they were added.
struct Line<Element> {
    /// The elements; nil in place of those that have been taken.
    private var elements: [Element?] = []
    private var takenCount = 0

    var isEmpty: Bool { takenCount == elements.count }

    /// The number of elements in memory, those included that have been taken.
    var storedCount: Int { elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func take() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[takenCount].take()
        takenCount += 1
        // When as many have been taken as are left, so that it costs little for each of them.
        if takenCount * 2 >= elements.count {
            elements.removeFirst(takenCount)
            takenCount = 0
        }
        return element
    }
}
#endif
