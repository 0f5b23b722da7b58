@testable import LarkspurImages

/// A cache that notes what it is asked, and may want no images.
final class RecordingImageCache: ImageCache {
    let calls = Recorder<String>()
    private let images = AutoPurgingImageCache()
    private let wantsImages: Bool

    init(wantsImages: Bool) { self.wantsImages = wantsImages }

    func shouldCache(_ image: Image, for request: URLRequest, identifier: String?) -> Bool {
        calls.record("should cache")
        return wantsImages
    }

    func add(_ image: Image, for request: URLRequest, identifier: String?) {
        calls.record("add")
        images.add(image, for: request, identifier: identifier)
    }

    func removeImage(for request: URLRequest, identifier: String?) -> Bool {
        images.removeImage(for: request, identifier: identifier)
    }

    func image(for request: URLRequest, identifier: String?) -> Image? {
        images.image(for: request, identifier: identifier)
    }

    func removeAllImages() -> Bool { images.removeAllImages() }
}
