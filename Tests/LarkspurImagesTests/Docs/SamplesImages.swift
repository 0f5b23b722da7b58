import LarkspurImages

/// The samples of `Docs/Images.md`, each between two markers; what they print is noted.
struct ImageSamples: Sendable {
    let manager: SessionManager
    let output = Recorder<String>()

    private func print(_ item: Any) { output.record("\(item)") }

    func response() {
        // sample: response that is an image
        manager.get("logo.png", as: .image) { _, image in
            print("\(image.format.rawValue), \(image.width) x \(image.height) pixels")
        } failure: { _, error in
            print(error)
        }
        // end
    }

    func pixel(_ image: Image) {
        // sample: pixel of an image
        if let pixel = image.pixels?[0, 0] {
            print("red \(pixel.red), green \(pixel.green), blue \(pixel.blue), alpha \(pixel.alpha)")
        }
        // end
    }

    func download(_ url: URL) -> (ImageDownloader, ImageDownloadReceipt?) {
        // sample: download of an image
        let downloader = ImageDownloader()
        let receipt = downloader.download(URLRequest(url: url)) { response in
            switch response.result {
            case .success(let image): print(image)
            case .failure(let error): print(error)
            }
        }
        // end
        return (downloader, receipt)
    }

    func wait(_ downloader: ImageDownloader, _ url: URL) async throws -> Image {
        // sample: waiting for an image
        let image = try await downloader.image(for: URLRequest(url: url))
        // end
        return image
    }

    func diskCache(_ folder: URL) -> ImageDownloader {
        // sample: cache of images on disk
        let manager = SessionManager(configuration: ImageDownloader.makeConfiguration(cacheDirectory: folder))
        let downloader = ImageDownloader(manager: manager)
        // end
        return downloader
    }
}

private func decodeBitmap(_ data: Data, _ width: Int, _ height: Int) throws -> ImagePixels? {
    ImagePixels(width: width, height: height, bytes: Data(repeating: 1, count: width * height * 4))
}

// sample: decoder of images
struct BitmapDecoder: ImageDecoder {
    func decode(_ data: Data, header: ImageHeader) throws -> ImagePixels? {
        guard header.format == .bmp else { return try SystemImageDecoder().decode(data, header: header) }
        return try decodeBitmap(data, header.width, header.height)
    }
}
// end
