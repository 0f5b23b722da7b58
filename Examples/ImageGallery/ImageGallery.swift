import LarkspurImages

/// Downloads images, all at once, and says what they are.
///
///     swift run ImageGallery                            from an embedded server
///     swift run ImageGallery --cache folder URL ...     from anywhere
///
/// With a folder for the cache, a second run has them from there. The status is 1 if one could not be had.
@main
enum ImageGallery {
    static func main() async throws {
        guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
            FileHandle.standardError.write(Data(Arguments.usage.utf8))
            exit(64)
        }
        let server = arguments.urls.isEmpty ? try SampleServer(besides: arguments.cache) : nil
        defer { server?.stop() }
        let gallery = Gallery(cacheDirectory: arguments.cache)
        let isComplete = await gallery.show(server?.urls ?? arguments.urls)
        if !isComplete { exit(1) }
    }
}
