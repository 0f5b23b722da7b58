import Larkspur

/// The arguments of the command line.
struct Arguments {
    var url: String?
    var prompt: String?

    static let usage = """
        usage: Chat [URL [prompt]]
          URL      the event stream to follow; default: a server of its own, which has events and answers a prompt
          prompt   sent to the URL as JSON with POST; the answer is read as a stream of events

        """

    /// Parses the arguments; nil if they are not valid.
    init?(_ arguments: some Collection<String>) {
        guard arguments.count <= 2, !arguments.contains(where: { $0.hasPrefix("-") }) else { return nil }
        url = arguments.first
        prompt = arguments.dropFirst().first
        if let url, URL(string: url)?.host == nil { return nil }
    }
}
