import LarkspurImages

/// A gallery that downloads images and prints their name, format, size in pixels and in bytes, and their source.
struct Gallery {
    private let downloader: ImageDownloader
    private let cache: URLCache?

    /// - Parameter cacheDirectory: The folder of the HTTP cache; nil for one in memory.
    init(cacheDirectory: URL?) {
        let configuration = ImageDownloader.makeConfiguration(cacheDirectory: cacheDirectory)
        cache = configuration.urlCache
        downloader = ImageDownloader(manager: SessionManager(configuration: configuration))
    }

    /// Returns whether all images could be downloaded.
    func show(_ urls: [URL]) async -> Bool {
        let display = Display(downloader.manager, count: urls.count)
        let responses = await withTaskGroup { group in
            for (index, url) in urls.enumerated() {
                group.addTask { (index, await downloader.response(for: URLRequest(url: url))) }
            }
            var responses: [(index: Int, response: DataResponse<Image>)] = []
            for await response in group {
                display.finished(response.1.data.count)
                responses.append(response)
            }
            return responses.sorted { $0.index < $1.index }.map(\.response)
        }
        display.end()
        for (url, response) in zip(urls, responses) { print("\(url.lastPathComponent): \(Self.text(of: response))") }
        // The cache writes its files asynchronously. Reading its disk usage waits for them; the end of the process
        // would not.
        _ = cache?.currentDiskUsage
        return responses.allSatisfy { $0.error == nil }
    }

    private static func text(of response: DataResponse<Image>) -> String {
        switch response.result {
        case .success(let image):
            "\(image.format.rawValue), \(image.width) x \(image.height) pixels, \(image.data.count) bytes, "
                + (image.pixels == nil ? "not decoded" : "decoded") + ", "
                + (response.response == nil || response.timeline.isFromCache ? "from cache" : "from the server")
        case .failure(let error):
            "\(error)"
        }
    }
}
