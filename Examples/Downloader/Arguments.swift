import Larkspur

/// The arguments of the command line.
struct Arguments {
    var folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
    var resumes = 5
    var urls: [URL] = []

    static let usage = """
        usage: Downloader [-o folder] [-r times] URL ...
          -o folder   where files go, and where unfinished ones wait; default: the current folder
          -r times    how often a download goes on by itself after a lost connection; default: 5
        Without a URL it downloads from a server of its own.

        """

    /// Parses the arguments; nil if they are not valid.
    init?(_ arguments: some Sequence<String>) {
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            switch argument {
            case "-o":
                guard let path = iterator.next() else { return nil }
                folder = URL(fileURLWithPath: path, isDirectory: true)
            case "-r":
                guard let times = iterator.next().flatMap({ Int($0) }) else { return nil }
                resumes = times
            default:
                guard let url = URL(string: argument), url.host != nil else { return nil }
                urls.append(url)
            }
        }
    }
}
