import Larkspur

/// The arguments of the command line.
struct Arguments {
    var url: URL?
    var bytesPerSecond: Int?
    var files: [URL] = []

    static let usage = """
        usage: Upload [--url URL] [--limit bytes] [file ...]
          --url URL       where to; default: a server of its own, which says what it has received
          --limit bytes   how much to send in a second, at most; default: as much as goes
        Without a file it makes one, for the server of its own.

        """

    /// Parses the arguments; nil if they are not valid.
    init?(_ arguments: some Sequence<String>) {
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            switch argument {
            case "--url":
                guard let url = iterator.next().flatMap({ URL(string: $0) }), url.host != nil else { return nil }
                self.url = url
            case "--limit":
                guard let limit = iterator.next().flatMap({ Int($0) }), limit > 0 else { return nil }
                bytesPerSecond = limit
            case _ where argument.hasPrefix("-"):
                return nil
            default:
                files.append(URL(fileURLWithPath: argument))
            }
        }
        if url != nil, files.isEmpty { return nil }
    }
}
