/// Functions that read property lists from servers without exhausting the stack or the memory.
enum PropertyListContent {
    private static let refusal = "The content is not a valid property list"

    /// Returns the object of a property list.
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

    /// Returns the same property list in a form that `PropertyListDecoder` reads safely.
    ///
    /// On Linux the decoder follows nesting by recursion without a limit, and follows cycles endlessly. The binary form
    /// is checked here. The XML form is read by `PropertyListSerialization`, which has a limit, and written again, so
    /// that the decoder reads only content that was checked.
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
