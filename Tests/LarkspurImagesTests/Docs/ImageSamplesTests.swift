import LarkspurTesting
import Testing

@testable import ImageGallery
@testable import LarkspurImages

/// Runs the samples of `Docs/Images.md`.
@Suite("Samples about images", .timeLimit(.minutes(5)))
struct ImageSamplesTests {
    let server: LoopbackServer
    let samples: ImageSamples

    init() throws {
        server = try LoopbackServer()
        server.route(
            "/logo.png",
            .data(ImageFixture.png.data, contentType: "image/png").adding("Cache-Control", "max-age=60")
        )
        samples = ImageSamples(manager: TestTransport.curl.makeManager(for: server))
    }

    @Test func response() async throws {
        samples.response()
        try await samples.manager.finishAll()
        #expect(samples.output.values == ["png, 7 x 5 pixels"])
    }

    @Test func pixel() throws {
        let data = SampleImages.checkedBMP(width: 2, height: 2)
        let image = try ImageResponseSerializer(decoder: BitmapDecoder()).serialize(data, response: nil)
        samples.pixel(image)
        #expect(samples.output.values == ["red 1, green 1, blue 1, alpha 1"])
    }

    @Test func download() async throws {
        let (downloader, receipt) = samples.download(server.url("/logo.png"))
        #expect(receipt != nil)
        try await downloader.manager.finishAll()
        #expect(samples.output.values == ["<Image png 7x5, \(ImageFixture.png.data.count) bytes>"])
        #expect(try await samples.wait(downloader, server.url("/logo.png")).format == .png)
        #expect(server.requests.count == 1)
    }

    @Test("An image that one downloader has stored in a folder is used by another downloader")
    func folder() async throws {
        let folder = TemporaryFolder()
        let request = URLRequest(url: server.url("/logo.png"))
        #expect(await samples.diskCache(folder.url).response(for: request).timeline.isFromCache == false)
        #expect(await samples.diskCache(folder.url).response(for: request).timeline.isFromCache == true)
    }
}
