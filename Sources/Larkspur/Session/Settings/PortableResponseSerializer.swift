/// A response serializer of another module of this package, which settings can encode.
package protocol PortableResponseSerializer: ResponseSerializer {
    /// The kind and the properties of the serializer, without its validation.
    ///
    /// Throws ``LarkspurError`` with the code `invalidSettings`, if the serializer holds a type or closure of the
    /// caller.
    var settings: ResponseSerializerSettings { get throws(LarkspurError) }
}

/// A type that creates a response serializer of another module of this package from settings.
package protocol ResponseSerializerReader: AnyObject {
    /// Creates the serializer. A property that the settings lack keeps its default.
    static func makeSerializer(
        _ settings: ResponseSerializerSettings,
        validation: ResponseValidation
    ) -> any ResponseSerializer
}
