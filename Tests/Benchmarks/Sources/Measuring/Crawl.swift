import Glibc

/// A client that loads pages.
package protocol PageClient: AsyncClient {
    /// Loads a page, and returns the paths of its links.
    func links(at url: String) async throws -> [String]
}

extension Measurement where C: PageClient {
    /// Loads all pages of a site, and ends the process if there are fewer or more of them than requests.
    package func crawl() async throws {
        let client = makeClient()
        var meter = Meter()
        meter.start()
        let pages = try await loadPages(with: client)
        meter.stop()
        if pages != options.requests { end("\(options.target.url): \(pages) pages instead of \(options.requests)") }
        report(requests: pages, meter, Opening(streams: 0))
        await client.invalidate()
    }

    private func loadPages(with client: C) async throws -> Int {
        let (origin, first) = options.target.parts
        return try await withThrowingTaskGroup(of: [String].self) { group in
            var known: Set = [first]
            var waiting = [first]
            var begun = 0
            var finished = 0
            while true {
                while begun - finished < options.inFlight, let path = waiting.popLast() {
                    group.addTask(executorPreference: client.executor) { try await client.links(at: origin + path) }
                    begun += 1
                }
                guard let links = try await group.next() else { return finished }
                finished += 1
                for link in links where known.insert(link).inserted { waiting.append(link) }
            }
        }
    }
}

/// The reading of a page by a crawler. The clients in Swift and in Go search in the same way.
package enum Page {
    private static let attribute = Array("href=".utf8)

    /// The values of all attributes `href`.
    package static func links(in page: UnsafeRawBufferPointer) -> [String] {
        var links: [String] = []
        var rest = page[...]
        while let quote = indexOfQuote(in: rest) {
            rest = page[(quote + 1)...]
            guard page[..<quote].suffix(attribute.count).elementsEqual(attribute) else { continue }
            guard let end = indexOfQuote(in: rest) else { break }
            links.append(String(decoding: rest[..<end], as: UTF8.self))
            rest = page[(end + 1)...]
        }
        return links
    }

    private static func indexOfQuote(in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
        let buffer = UnsafeRawBufferPointer(rebasing: bytes)
        guard let base = buffer.baseAddress, let found = memchr(base, Int32(UInt8(ascii: "\"")), buffer.count) else {
            return nil
        }
        return bytes.startIndex + base.distance(to: found)
    }
}
