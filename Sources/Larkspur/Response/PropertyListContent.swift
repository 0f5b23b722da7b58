/// Reads property lists that a server chose, without letting one exhaust the stack or the memory.
enum PropertyListContent {
    private static let refusal = "The content is not a valid property list"

    /// The object that content stands for.
    static func object(
        _ data: Data,
        options: PropertyListSerialization.ReadOptions,
        formats: Set<PropertyListSerialization.PropertyListFormat>
    ) throws(LarkspurError) -> sending Any {
        try checkBinary(data)
        var format = PropertyListSerialization.PropertyListFormat.xml
        let object: Any
        do {
            object = try PropertyListSerialization.propertyList(from: data, options: options, format: &format)
        } catch {
            throw SerializationFailure.error(refusal, error)
        }
        guard formats.contains(format) else {
            throw LarkspurError(.responseSerializationFailed, "\(refusal): its format is not accepted")
        }
        return object
    }

    /// The same property list in a form that `PropertyListDecoder` reads safely.
    ///
    /// On Linux the decoder follows nesting by recursion, without a limit, and cycles for ever. The binary form is
    /// checked here; the XML form is read by `PropertyListSerialization`, which has a limit, and written anew, so that
    /// the decoder sees nothing else than it has seen.
    static func decodable(_ data: Data) throws(LarkspurError) -> Data {
        if BinaryPropertyList.isOne(data) {
            try checkBinary(data)
            return data
        }
        let object = try object(data, options: [], formats: [.xml])
        do {
            return try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        } catch {
            throw SerializationFailure.error(refusal, error)
        }
    }

    private static func checkBinary(_ data: Data) throws(LarkspurError) {
        guard BinaryPropertyList.isOne(data) else { return }
        guard BinaryPropertyList(data)?.isTractable == true else {
            throw LarkspurError(
                .responseSerializationFailed,
                "\(refusal): it is damaged, nested too deeply, or expands without bound"
            )
        }
    }
}
