import Larkspur

/// A program that uploads files as a multipart form, and shows the progress.
///
///     swift run Upload                               a file of its own, to an embedded server
///     swift run Upload photo.jpg notes.txt           these files, to the embedded server
///     swift run Upload --url URL photo.jpg           to anywhere
///
/// It prints the response; the embedded server responds with the content that it has received. The status is 1 if the
/// upload fails.
@main
enum Upload {
    static func main() throws {
        guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
            FileHandle.standardError.write(Data(Arguments.usage.utf8))
            exit(64)
        }
        guard let url = arguments.url else { exit(try Tour().run(arguments)) }
        exit(Sending(arguments.files, to: url, bytesPerSecond: arguments.bytesPerSecond).run() ? 0 : 1)
    }
}
