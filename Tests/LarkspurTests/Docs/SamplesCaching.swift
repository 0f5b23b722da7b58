#if canImport(FoundationNetworking)
import Larkspur

/// The samples of `Docs/Caching.md`, each between two markers; what they print is recorded.
struct CachingSamples: Sendable {
    let folder: URL
    let output = Recorder<String>()

    private func print(_ item: Any) { output.record("\(item)") }

    func ownCache() -> SessionManager {
        // sample: cache on disk
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = HTTPCache(memoryCapacity: 8 << 20, diskCapacity: 200 << 20, directory: folder)

        let manager = SessionManager(configuration: configuration)
        // end
        return manager
    }

    func sharedCache() {
        // sample: cache of all default sessions
        URLCache.shared = HTTPCache(directory: folder)
        // end
    }

    func noCache() -> SessionManager {
        // sample: no cache
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = nil

        let manager = SessionManager(configuration: configuration)
        // end
        return manager
    }

    func policy(_ url: URL) -> URLRequest {
        // sample: cache policy of a request
        let request = URLRequest(url: url, cachePolicy: .returnCacheDataElseLoad)
        // end
        return request
    }

    func source(_ manager: SessionManager, _ request: URLRequest) {
        // sample: source of a response
        let task = manager.dataTask(with: request) { response in
            print(response.timeline.isFromCache ? "from the cache" : "from the server")
        }
        task.resume()
        // end
    }

    func hook(_ manager: SessionManager) {
        // sample: what is stored
        manager.hooks.willCacheResponse = { task, proposed in
            proposed.data.count < 100_000 ? proposed : nil
        }
        // end
    }

    func removal(_ cache: HTTPCache, _ url: URL) {
        // sample: removing from the cache
        cache.removeCachedResponse(for: URLRequest(url: url))
        cache.removeAllCachedResponses()
        // end
    }
}
#endif
