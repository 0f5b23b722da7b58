import LarkspurImages

/// A program that downloads images, all at once, and prints their properties.
///
///     swift run ImageGallery                            from an embedded server
///     swift run ImageGallery --cache folder URL ...     from anywhere
///
/// With a folder for the cache, a second run takes the images from there. The status is 1 if an image could not be
/// downloaded.
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
