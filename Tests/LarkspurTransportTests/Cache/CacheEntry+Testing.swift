#if canImport(FoundationNetworking)
@testable import LarkspurTransport

extension CacheEntry {
    /// When tests of values take place.
    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    /// An entry that came a while ago, in seconds.
    static func made(
        _ fields: [String: String] = [:],
        ago age: TimeInterval = 0,
        status: Int = 200,
        url: String = "http://a.test/x",
        content: String = "content",
        varying: [VaryingField] = [],
        authorization: String? = nil,
        now: Date = CacheEntry.now
    ) -> CacheEntry {
        CacheEntry(
            url: url,
            status: status,
            version: "HTTP/1.1",
            fields: fields,
            varying: varying,
            authorization: authorization,
            requestTime: now - age,
            responseTime: now - age,
            content: Data(content.utf8)
        )
    }
}

extension CacheRequest {
    static func made(
        _ fields: [String: String] = [:],
        method: String = "GET",
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) -> CacheRequest {
        CacheRequest(method: method, policy: policy, fields: CacheRequestFields(own: fields))
    }
}
#endif
