import Larkspur

/// The arguments of the command line.
struct Arguments {
    var url: String?
    var question: String?
    var model = "gpt-4o-mini"

    static let usage = """
        usage: Chat [URL [question [model]]]
          URL        without a question, an event stream to follow; with one, the address of the API, such as
                     https://api.openai.com/v1 or http://localhost:11434/v1; default: an embedded server
          question   the question to the model
          model      the name of the model; default: gpt-4o-mini
        The key of the API is read from the environment variable OPENAI_API_KEY.

        """

    /// Parses the arguments; nil if they are not valid.
    init?(_ arguments: some Collection<String>) {
        guard arguments.count <= 3, arguments.first?.hasPrefix("-") != true else { return nil }
        url = arguments.first
        question = arguments.dropFirst().first
        model = arguments.dropFirst(2).first ?? model
        if let url, URL(string: url)?.host == nil { return nil }
    }
}
