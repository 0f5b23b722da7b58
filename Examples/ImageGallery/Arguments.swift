import LarkspurImages

/// The arguments of the command line.
struct Arguments {
    var cache: URL?
    var urls: [URL] = []

    static let usage = """
        usage: ImageGallery [--cache folder] [URL ...]
          --cache folder   where images are kept for the next run; default: in memory only
        Without a URL it shows the images of a server of its own.

        """

    /// Parses the arguments; nil if they are not valid.
    init?(_ arguments: some Sequence<String>) {
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            if argument == "--cache" {
                guard let path = iterator.next() else { return nil }
                cache = URL(fileURLWithPath: path, isDirectory: true)
            } else {
                guard let url = URL(string: argument), url.host != nil else { return nil }
                urls.append(url)
            }
        }
    }
}
