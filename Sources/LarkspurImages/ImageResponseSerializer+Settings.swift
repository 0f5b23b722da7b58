extension ImageResponseSerializer: PortableResponseSerializer {
    package var settings: ResponseSerializerSettings {
        get throws(LarkspurError) {
            guard decoder is SystemImageDecoder else {
                throw SessionManagerSettings.notPortable("the image decoder is \(type(of: decoder))")
            }
            var settings = ResponseSerializerSettings(kind: .image)
            settings.maximumPixelCount = maximumPixelCount
            settings.requiresMatchingType = requiresMatchingType
            settings.decodesPixels = decodesPixels
            return settings
        }
    }
}

/// The type that creates a serializer of images from settings. Larkspur finds it by its name, so that Larkspur does not
/// depend on this module.
final class ImageSettingsReader: ResponseSerializerReader {
    static func makeSerializer(
        _ settings: ResponseSerializerSettings,
        validation: ResponseValidation
    ) -> any ResponseSerializer {
        var serializer = ImageResponseSerializer(validation: validation)
        if let count = settings.maximumPixelCount { serializer.maximumPixelCount = count }
        if let isRequired = settings.requiresMatchingType { serializer.requiresMatchingType = isRequired }
        if let decodesPixels = settings.decodesPixels { serializer.decodesPixels = decodesPixels }
        return serializer
    }
}
