import Testing

@testable import LarkspurImages

/// The cases of AFNetworking's tests of its cache with the same name.
@Suite("Caches of images")
struct AutoPurgingImageCacheTests {
    let cache = AutoPurgingImageCache()
    let request: URLRequest
    let otherRequest: URLRequest

    init() throws {
        request = URLRequest(url: try #require(URL(string: "http://test.com/image")))
        otherRequest = URLRequest(url: try #require(URL(string: "http://test.com/other")))
    }

    private func image(_ width: Int = 510, _ height: Int = 500, _ text: String = "") -> Image {
        Image(
            data: Data(text.utf8),
            header: ImageHeader(format: .png, width: width, height: height),
            pixels: nil
        )
    }

    @Test func identifier() {
        cache.add(image(), identifier: "logo")
        #expect(cache.image(identifier: "logo") == image())
        #expect(cache.image(identifier: "other") == nil)
    }

    @Test func requestWithoutIdentifier() {
        cache.add(image(), for: request)
        #expect(cache.image(for: request) == image())
    }

    @Test func requestWithIdentifier() {
        cache.add(image(), for: request, identifier: "filter")
        #expect(cache.image(for: request, identifier: "filter") == image())
    }

    @Test func missingIdentifier() {
        cache.add(image(), for: request, identifier: "filter")
        #expect(cache.image(for: request) == nil)
    }

    @Test func otherURL() {
        cache.add(image(), for: request)
        #expect(cache.image(for: otherRequest) == nil)
    }

    @Test("Requests for one URL with different fields, methods or bodies have separate images")
    func wholeRequest() {
        cache.add(image(), for: request)
        for change: (inout URLRequest) -> Void in [
            { $0.setValue("Bearer ada", forHTTPHeaderField: "Authorization") },
            { $0.httpMethod = "POST" },
            { $0.httpBody = Data("x".utf8) },
            { $0.httpBodyStream = InputStream(data: Data()) },
        ] {
            var other = request
            change(&other)
            #expect(cache.image(for: other) == nil)
            #expect(!cache.removeImage(for: other))
        }
        var reloading = request
        reloading.cachePolicy = .reloadIgnoringLocalCacheData
        #expect(cache.image(for: reloading) == image())
    }

    @Test func duplicate() {
        cache.add(image(1, 1, "first"), for: request)
        cache.add(image(1, 1, "second"), for: request)
        #expect(cache.image(for: request) == image(1, 1, "second"))
        #expect(cache.memoryUsage == 4)
    }

    @Test func removalByIdentifier() {
        cache.add(image(), identifier: "logo")
        #expect(cache.removeImage(identifier: "logo"))
        #expect(!cache.removeImage(identifier: "logo"))
        #expect(cache.image(identifier: "logo") == nil)
    }

    @Test func removalByRequest() {
        cache.add(image(), for: request)
        #expect(cache.removeImage(for: request))
        #expect(!cache.removeImage(for: request))
        #expect(cache.image(for: request) == nil)
    }

    @Test func removalByRequestAndIdentifier() {
        cache.add(image(), for: request, identifier: "filter")
        #expect(cache.removeImage(for: request, identifier: "filter"))
        #expect(!cache.removeImage(for: request, identifier: "filter"))
        #expect(cache.image(for: request, identifier: "filter") == nil)
    }

    @Test("Removing an image without its identifier, or with another one, has no effect", arguments: [nil, "other"])
    func removalWithOtherIdentifier(_ identifier: String?) {
        cache.add(image(), for: request, identifier: "filter")
        #expect(!cache.removeImage(for: request, identifier: identifier))
        #expect(cache.image(for: request, identifier: "filter") == image())
    }

    @Test func usageIncreases() {
        #expect(cache.memoryUsage == 0)
        cache.add(image(), identifier: "logo")
        #expect(cache.memoryUsage == 1_020_000)
    }

    @Test func usageDecreases() {
        cache.add(image(), identifier: "logo")
        cache.removeImage(identifier: "logo")
        #expect(cache.memoryUsage == 0)
        cache.add(image(), for: request)
        #expect(cache.removeAllImages() && cache.memoryUsage == 0 && !cache.removeAllImages())
    }

    /// Room for ten images, of which six are left after a purge.
    private func makeSmallCache() -> AutoPurgingImageCache {
        let cost = image().memoryCost
        return AutoPurgingImageCache(memoryCapacity: cost * 10, preferredMemoryUsageAfterPurge: cost * 6)
    }

    @Test func purge() {
        let cache = makeSmallCache()
        for index in 0..<11 {
            cache.add(image(), identifier: "\(index)")
            #expect(cache.memoryUsage == image().memoryCost * (index == 10 ? 6 : index + 1))
        }
    }

    @Test func purgeByLastAccess() {
        let cache = makeSmallCache()
        for index in 0..<10 { cache.add(image(), identifier: "\(index)") }
        _ = cache.image(identifier: "0")
        cache.add(image(), identifier: "10")
        let left = (0..<11).filter { cache.image(identifier: "\($0)") != nil }
        #expect(left == [0, 6, 7, 8, 9, 10])
    }

    @Test func shouldCache() {
        #expect(cache.shouldCache(image(), for: request, identifier: nil))
    }

    @Test("The defaults are AFNetworking's")
    func defaults() {
        #expect(cache.memoryCapacity == 100 << 20 && cache.preferredMemoryUsageAfterPurge == 60 << 20)
    }
}
