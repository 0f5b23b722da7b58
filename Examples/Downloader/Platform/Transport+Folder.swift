import Larkspur

extension Transport {
    /// A transport that keeps unfinished downloads in a folder, where it can be told to.
    static func keepingDownloads(in folder: URL) -> Transport {
        #if canImport(FoundationNetworking)
        var options = CurlURLSession.Options()
        options.partialDownloadFolder = folder
        return .curl(options)
        #else
        return .automatic
        #endif
    }
}
