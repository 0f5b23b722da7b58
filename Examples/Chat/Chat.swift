import Larkspur

/// A program that reads server-sent events, and the answer of a language model as it is written.
///
///     swift run Chat                    both, from an embedded server
///     swift run Chat URL                the events of a URL, until it has no more
///     swift run Chat URL "a question"   the answer of an API that takes {"prompt": …} and sends {"text": …}
///
/// The status is 1 if a stream fails.
@main
enum Chat {
    static func main() async throws {
        guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
            FileHandle.standardError.write(Data(Arguments.usage.utf8))
            exit(64)
        }
        do {
            guard let url = arguments.url else { exit(try await Tour().run()) }
            let streams = Streams(manager: SessionManager())
            if let prompt = arguments.prompt {
                try await streams.ask(url, prompt)
            } else {
                try await streams.follow(url)
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }
}
