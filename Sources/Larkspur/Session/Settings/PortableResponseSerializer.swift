/// A response serializer of another module of this package, as settings can hold it.
package protocol PortableResponseSerializer: ResponseSerializer {
    /// Its kind and its properties, but for its validation.
    ///
    /// It throws ``LarkspurError`` with the code `invalidSettings`, if it has something of the caller's own.
    var settings: ResponseSerializerSettings { get throws(LarkspurError) }
}

/// Makes a response serializer of another module of this package by what settings say.
package protocol ResponseSerializerReader: AnyObject {
    /// Makes the serializer. A property that the settings do not have keeps its default.
    static func makeSerializer(
        _ settings: ResponseSerializerSettings,
        validation: ResponseValidation
    ) -> any ResponseSerializer
}
