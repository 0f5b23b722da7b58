import Larkspur

extension Transport {
    /// Returns a transport that stores unfinished downloads in a folder, if it supports that.
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
