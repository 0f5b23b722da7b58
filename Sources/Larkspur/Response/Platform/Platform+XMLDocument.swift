extension Platform {
    /// Returns the options of a serializer of XML documents; nil for any other serializer.
    static func xmlDocumentOptions(of serializer: any ResponseSerializer) -> UInt? {
        #if os(macOS) || canImport(FoundationXML)
        (serializer as? XMLDocumentResponseSerializer).map { UInt($0.options.rawValue) }
        #else
        nil
        #endif
    }

    static func makeXMLDocumentSerializer(
        options: UInt,
        validation: ResponseValidation
    ) throws(LarkspurError) -> any ResponseSerializer {
        #if os(macOS) || canImport(FoundationXML)
        XMLDocumentResponseSerializer(options: XMLNode.Options(rawValue: options), validation: validation)
        #else
        throw LarkspurError(.invalidSettings, "The settings are for XML documents, which this platform lacks.")
        #endif
    }
}
