#if canImport(FoundationNetworking)

extension ResponseHead {
    /// The response as URLSession's users know it.
    ///
    /// Most of its cost is Foundation's: it spells every field name again and reads the content type character by character. Nothing of that can
    /// be overridden from outside, so a caller that may not need the object should ask for it late.
    /// It is nil only if Foundation refuses to make one, which no version does.
    func makeResponse(url: URL) -> HTTPURLResponse? {
        HTTPURLResponse(url: url, statusCode: status, httpVersion: version, headerFields: fields)
    }
}

#endif
