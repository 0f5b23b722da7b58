#if canImport(FoundationNetworking)
import Larkspur

/// A program that speaks and listens: it writes a line of a request, and reads the line of the response that belongs to
/// it, ten times. At the end each side sends trailers.
///
///     swift run Dialogue
///
/// The status is 1 if a line of the response, or a trailer, is not as expected.
@main
enum Dialogue {
    static func main() async {
        do {
            exit(try await run() ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static let words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]

    /// Returns whether each line had its echo, and the server has counted all of them.
    private static func run() async throws -> Bool {
        let server = try EchoServer()
        defer { server.stop() }

        // A line is written when the echo of the previous line was read. So the lines come from a stream, which the
        // loop below fills.
        let (lines, speaker) = AsyncStream.makeStream(of: String.self)
        let body = RequestBody.writer(contentType: "text/plain", trailers: ["X-Lines"]) { writer in
            var count = 0
            for await line in lines {
                try await writer.write(line + "\n")
                count += 1
            }
            try await writer.finish(trailers: ["X-Lines": "\(count)"])
        }

        let call = SessionManager().post(server.url, body: body).timeout(total: .seconds(30))
        return try await call.open { head, content in
            print("The head has arrived before a line was written: \(head.statusCode)")
            var echoes = content.lines.makeAsyncIterator()
            for word in words {
                speaker.yield(word)
                let echo = try await echoes.next()
                print("> \(word)\n< \(echo ?? "the end")")
                guard echo == word.uppercased() else { return false }
            }
            speaker.finish()
            guard try await echoes.next() == nil, let trailers = content.trailers else { return false }
            print("The trailers of the response:")
            for trailer in trailers { print("  \(trailer.name): \(trailer.value)") }
            return trailers["X-Lines"] == "10" && trailers["X-Lines-Received"] == "10"
        }
    }
}
#else
@main
enum Dialogue {
    static func main() { print("On this platform, URLSession sends no trailers.") }
}
#endif
