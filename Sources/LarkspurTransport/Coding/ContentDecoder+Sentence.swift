#if canImport(FoundationNetworking)
extension ContentDecoder.Failure {
    var sentence: String {
        switch self {
        case .malformed(let coding):
            "The content is not in the coding that its Content-Encoding field names (\(coding.rawValue))."
        case .truncated(let coding): "The content ends before its content coding does (\(coding.rawValue))."
        case .expands(let limit): "The content expands to more than \(limit) times its coded size."
        }
    }
}
#endif
