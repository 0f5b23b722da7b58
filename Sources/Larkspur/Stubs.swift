public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    struct F { var name, value: String }
    var fields: [(String, String)] = []
    public init(dictionaryLiteral elements: (String, String)...) { fields = elements }
    init(_ f: [(String, String)]) { fields = f }
    init(_ f: [String: String]) { fields = Array(f.map { ($0.key, $0.value) }) }
    func validate() throws(LarkspurError) {}
}
extension HTTPHeaders: Sequence {
    public typealias Element = (name: String, value: String);
    public func makeIterator() -> AnyIterator<(name: String, value: String)> {
        var i = fields.makeIterator(); return AnyIterator { i.next().map { (name: $0.0, value: $0.1) } }
    }
}
extension HTTPMethod { var isValid: Bool { true } }
enum BaseURL {
    static func normalized(_ u: URL) -> URL { u }
    static func resolve(_ s: String, against: URL?) throws(LarkspurError) -> URL {
        guard let u = URL(string: s, relativeTo: against) else { throw LarkspurError(.invalidURL, "bad") };
        return u.absoluteURL
    }
}
public struct HTTPRequestSerializer: RequestSerializer {
    public var settings = RequestSettings(); public init() {}
    public func encodeBody(_ parameters: Parameters?, into request: inout URLRequest) throws(LarkspurError) {}
}
extension RequestSerializer {
    func makeRequest(_ method: HTTPMethod, url: URL, parameters: Parameters?) throws(LarkspurError) -> URLRequest {
        var r = URLRequest(url: url); r.httpMethod = method.rawValue; return r
    }
}
public struct DataResponseSerializer: ResponseSerializer {
    public var validation = ResponseValidation(); public init() {}
    public func serialize(_ data: Data, response: URLResponse?) throws -> sending Data { data }
}
public struct JSONResponseSerializer: ResponseSerializer {
    public var validation = ResponseValidation(); public init() {}
    public func serialize(_ data: Data, response: URLResponse?) throws -> sending Any? {
        try JSONSerialization.jsonObject(with: data)
    }
}
public struct DecodableResponseSerializer<T: Decodable & Sendable>: ResponseSerializer {
    public var validation = ResponseValidation(); public init() {}
    public func serialize(_ data: Data, response: URLResponse?) throws -> sending T {
        try JSONDecoder().decode(T.self, from: data)
    }
}
extension ResponseSerializer {
    public static func decodable<T>(_ t: T.Type) -> Self where Self == DecodableResponseSerializer<T> { .init() }
}
extension ResponseValidation { func validate(_ r: URLResponse?, data: Data) throws(LarkspurError) {} }
public struct DataResponse<Value> {
    let request: URLRequest?, response: URLResponse?, data: Data, timeline: Timeline;
    public let result: Result<Value, LarkspurError>
}
public struct DownloadResponse {
    let request: URLRequest?, response: URLResponse?, timeline: Timeline; public let result: Result<URL, LarkspurError>
}
extension ResponseSerializer {
    func evaluate(_ r: TransferResult) -> Transferred<Result<Output, LarkspurError>> {
        do { return Transferred(.success(try serialize(r.data, response: r.response))) } catch {
            return Transferred(.failure(LarkspurError(.responseSerializationFailed, "x", underlyingError: error)))
        }
    }
}
func flattened<T>(_ v: T) -> Any? { v }

extension DataResponse { public var error: LarkspurError? { result.error } }
extension DownloadResponse { public var error: LarkspurError? { result.error } ; public var fileURL: URL? { try? result.get() } }
