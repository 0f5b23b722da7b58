import LarkspurImages
import LarkspurTesting

/// An embedded server with images that may be cached for an hour.
struct SampleServer {
    private let server: LoopbackServer
    let urls: [URL]

    private static let images: [(name: String, type: String, data: Data)] = [
        ("gradient.png", "image/png", SampleImages.gradientPNG(width: 320, height: 200)),
        ("tile.jpeg", "image/jpeg", SampleImages.jpeg),
        ("stripes.gif", "image/gif", SampleImages.stripedGIF(width: 64, height: 48)),
        ("checks.bmp", "image/bmp", SampleImages.checkedBMP(width: 30, height: 20)),
        ("dot.webp", "image/webp", SampleImages.webp),
    ]

    /// - Parameter cache: The folder of the cache, next to which the server's socket is created; nil for none.
    init(besides cache: URL?) throws {
        let place = try Place(besides: cache)
        server = place.server
        urls = Self.images.compactMap { place.url("/\($0.name)") }
        for (name, type, data) in Self.images {
            server.route("/\(name)", .data(data, contentType: type).adding("Cache-Control", "max-age=3600"))
        }
    }

    func stop() { server.stop() }
}
