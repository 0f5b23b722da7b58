import Alamofire
import Foundation

let configuration = URLSessionConfiguration.af.default
configuration.urlCache = URLCache(memoryCapacity: 8 << 20, diskCapacity: 200 << 20, diskPath: "cache")
configuration.requestCachePolicy = .reloadRevalidatingCacheData

let session = Session(configuration: configuration)
for _ in 1...2 {
    let response = await session.request("https://api.example.com/v1/catalogue").validate().serializingData().response
    let isFromCache = response.metrics?.transactionMetrics.last?.resourceFetchType == .localCache
    print(response.data?.count ?? 0, "bytes from", isFromCache ? "the cache" : "the server")
}
