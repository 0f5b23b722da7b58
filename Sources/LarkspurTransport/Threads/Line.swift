#if canImport(FoundationNetworking)
/// A queue: elements are taken in the order in which they were added.
struct Line<Element> {
    /// The elements. Elements that were taken are nil.
    private var elements: [Element?] = []
    private var takenCount = 0

    var isEmpty: Bool { takenCount == elements.count }

    /// The number of elements in memory, including those that were taken.
    var storedCount: Int { elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func take() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[takenCount].take()
        takenCount += 1
        // The removal moves all elements that are left. It waits until at least as many elements were taken as are
        // left, so its cost per element is small.
        if takenCount * 2 >= elements.count {
            elements.removeFirst(takenCount)
            takenCount = 0
        }
        return element
    }
}
#endif
