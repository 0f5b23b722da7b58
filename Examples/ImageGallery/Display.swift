import LarkspurActivity
import LarkspurImages
import Synchronization

/// A progress bar for all downloads together, which is drawn on a terminal after each change.
final class Display: Sendable {
    private struct Counts {
        var images = 0
        var bytes: Int64 = 0
    }

    private let manager: SessionManager
    private let count: Int
    private let finished = Mutex(Counts())

    init(_ manager: SessionManager, count: Int) {
        self.manager = manager
        self.count = count
        manager.hooks.didReceiveData = { [weak self] _, _ in self?.draw() }
    }

    func finished(_ bytes: Int) {
        finished.withLock { counts in
            counts.images += 1
            counts.bytes += Int64(bytes)
        }
        bar.draw()
    }

    func end() { bar.draw(isLast: true) }

    /// Draws the bar after a chunk of content. The last line is drawn at the end.
    private func draw() {
        if finished.withLock({ $0.images }) < count { bar.draw() }
    }

    /// The bar for all images. It shows the part of the announced bytes that has arrived. An image of unknown length
    /// counts as the average of the others.
    private var bar: ProgressBar {
        let counts = finished.withLock { $0 }
        let running = manager.dataTasks.map(\.downloadProgress)
        // A server may announce any length. A length that no image can have counts as unknown.
        let known = running.filter { (1...Int64(1) << 40).contains($0.totalUnitCount) }
        let total = known.reduce(counts.bytes) { $0 + $1.totalUnitCount }
        let images = counts.images + known.count
        return ProgressBar(
            label: "\(counts.images) of \(count) images",
            completed: running.reduce(counts.bytes) { $0 + $1.completedUnitCount },
            total: images == 0 ? -1 : total + total / Int64(images) * Int64(max(0, count - images))
        )
    }
}
