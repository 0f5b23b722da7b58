/// Returns a small list that fails as the whole list does. No element of it can be left out, unless the limit was
/// reached.
/// - Parameters:
///   - limit: The maximum number of lists that are tried.
///   - fails: Whether a list fails. A failure that depends on the scheduler needs several tries.
package func shrunk<Element>(
    _ elements: [Element],
    limit: Int = 300,
    fails: ([Element]) async -> Bool
) async -> [Element] {
    var smallest = elements
    var length = max(1, elements.count / 2)
    var tries = 0
    while true {
        var start = 0
        var hasShrunk = false
        while start < smallest.count, tries < limit {
            var candidate = smallest
            candidate.removeSubrange(start..<min(start + length, candidate.count))
            tries += 1
            if await fails(candidate) {
                (smallest, hasShrunk) = (candidate, true)
            } else {
                start += length
            }
        }
        if tries >= limit || length == 1 && !hasShrunk { return smallest }
        length = max(1, length / 2)
    }
}
