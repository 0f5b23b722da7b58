import Larkspur

/// A program that reads server-sent events, and the answer of a language model while the model writes it.
///
///     swift run Chat                          both, from an embedded server
///     swift run Chat URL                      the events of a URL, until it has no more
///     swift run Chat URL "question" [model]   the answer of a server with the API for chat completions of OpenAI
///
/// The key of the API is in the environment variable `OPENAI_API_KEY`; servers of this machine need none. The status is
/// 1 if a stream fails.
@main
enum Chat {
    static func main() async {
        guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
            FileHandle.standardError.write(Data(Arguments.usage.utf8))
            exit(64)
        }
        do {
            guard let url = arguments.url else { exit(try await Tour().run()) }
            if let question = arguments.question {
                let key = ProcessInfo.processInfo.environment["OPENAI_API_KEY"]
                var conversation = Conversation(
                    manager: manager(baseURL: url, key: key),
                    model: arguments.model,
                    tools: [.localTime],
                    output: show
                )
                try await conversation.ask(question)
                print()
            } else {
                try await follow(url, with: SessionManager())
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    /// Returns a manager for an API. It sends a request again that the server was too busy for.
    static func manager(baseURL: String, key: String?) -> SessionManager {
        let manager = SessionManager(baseURL: baseURL)
        if let key { manager.requestSettings.setAuthorization(bearerToken: key) }
        manager.interceptors.call = [.retry()]
        return manager
    }

    /// Prints the events of a URL until the server has no more. Returns their IDs.
    @discardableResult
    static func follow(_ url: String, with manager: SessionManager) async throws -> [String] {
        var ids: [String] = []
        for try await event in manager.events(url) {
            print("\(event.type) \(event.id): \(event.data)")
            ids.append(event.id)
        }
        return ids
    }

    /// Prints a part of a line.
    static func show(_ text: String) {
        print(text, terminator: "")
        // The line has no end yet.
        fflush(nil)
    }
}
