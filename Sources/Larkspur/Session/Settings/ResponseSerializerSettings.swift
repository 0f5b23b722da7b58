/// The encodable form of a response serializer of Larkspur.
package struct ResponseSerializerSettings: Codable, Sendable, Hashable {
    package enum Kind: String, Codable, Sendable {
        case json
        case propertyList
        case xmlParser
        case xmlDocument
        case string
        case data
        case image
        case compound
    }

    package var kind: Kind
    /// The ranges of acceptable status codes, each as its first code and the code after its last; nil for any code.
    var statusCodes: [[Int]]?
    /// The acceptable content types; nil for any type.
    var contentTypes: [String]?
    var readingOptions: UInt?
    var removesKeysWithNullValues: Bool?
    var formats: [UInt]?
    var encoding: UInt?
    var fallbackEncoding: UInt?
    package var maximumPixelCount: Int?
    package var requiresMatchingType: Bool?
    package var decodesPixels: Bool?
    var members: [ResponseSerializerSettings]?

    package init(kind: Kind) { self.kind = kind }

    /// - Throws: ``LarkspurError`` with the code `invalidSettings`, for a serializer of the caller.
    init(_ serializer: any ResponseSerializer) throws(LarkspurError) {
        switch serializer {
        case let erased as AnyResponseSerializer:
            self = try Self(erased.base)
            return
        case let json as JSONResponseSerializer:
            kind = .json
            readingOptions = json.readingOptions.rawValue
            removesKeysWithNullValues = json.removesKeysWithNullValues
        case let list as PropertyListResponseSerializer:
            kind = .propertyList
            readingOptions = UInt(list.readOptions.rawValue)
            formats = list.acceptableFormats.map(\.rawValue).sorted()
        case is XMLParserResponseSerializer: kind = .xmlParser
        case let string as StringResponseSerializer:
            kind = .string
            encoding = string.encoding?.rawValue
            fallbackEncoding = string.fallbackEncoding.rawValue
        case is DataResponseSerializer: kind = .data
        case let portable as any PortableResponseSerializer:
            self = try portable.settings
        case let compound as CompoundResponseSerializer:
            kind = .compound
            var members: [ResponseSerializerSettings] = []
            for member in compound.members { members.append(try Self(member)) }
            self.members = members
        default:
            guard let options = Platform.xmlDocumentOptions(of: serializer) else {
                throw SessionManagerSettings.notPortable("the response serializer is \(type(of: serializer))")
            }
            kind = .xmlDocument
            readingOptions = options
        }
        statusCodes = serializer.acceptableStatusCodes?.intervals.map { [$0.lowerBound, $0.upperBound] }
        contentTypes = serializer.acceptableContentTypes?.map(\.description).sorted()
    }

    func makeSerializer() throws(LarkspurError) -> any ResponseSerializer {
        let validation = try makeValidation()
        let readingOptions = readingOptions ?? 0
        switch kind {
        case .json:
            var serializer = JSONResponseSerializer(
                readingOptions: JSONSerialization.ReadingOptions(rawValue: readingOptions),
                removesKeysWithNullValues: removesKeysWithNullValues ?? false
            )
            serializer.validation = validation
            return serializer
        case .propertyList:
            var accepted: Set<PropertyListSerialization.PropertyListFormat> = formats == nil ? [.xml, .binary] : []
            for number in formats ?? [] {
                let format: PropertyListSerialization.PropertyListFormat? = try SessionManagerSettings.value(
                    number,
                    "formats"
                )
                if let format { accepted.insert(format) }
            }
            return PropertyListResponseSerializer(
                readOptions: PropertyListSerialization.ReadOptions(rawValue: readingOptions),
                acceptableFormats: accepted,
                validation: validation
            )
        case .xmlParser: return XMLParserResponseSerializer(validation: validation)
        case .xmlDocument:
            return try Platform.makeXMLDocumentSerializer(options: readingOptions, validation: validation)
        case .string:
            return StringResponseSerializer(
                encoding: encoding.map { String.Encoding(rawValue: $0) },
                fallbackEncoding: fallbackEncoding.map { String.Encoding(rawValue: $0) } ?? .isoLatin1,
                validation: validation
            )
        case .data: return DataResponseSerializer(validation: validation)
        case .image: return try Self.imageReader().makeSerializer(self, validation: validation)
        case .compound:
            var serializers: [any ResponseSerializer] = []
            for member in members ?? [] { serializers.append(try member.makeSerializer()) }
            return CompoundResponseSerializer(serializers, validation: validation)
        }
    }

    /// Finds the reader in LarkspurImages, whose type this module cannot refer to, by its name. Foundation also finds
    /// the classes of an archive by their names.
    private static func imageReader() throws(LarkspurError) -> any ResponseSerializerReader.Type {
        guard let reader = NSClassFromString("LarkspurImages.ImageSettingsReader") as? any ResponseSerializerReader.Type
        else {
            throw LarkspurError(
                .invalidSettings,
                "The settings have a serializer of images, and the program does not have LarkspurImages."
            )
        }
        return reader
    }

    private func makeValidation() throws(LarkspurError) -> ResponseValidation {
        var codes: StatusCodes?
        if let statusCodes {
            var union = StatusCodes([] as [Int])
            for bounds in statusCodes {
                guard bounds.count == 2, bounds[0] <= bounds[1] else {
                    throw LarkspurError(.invalidSettings, "The settings have a range of status codes that is none.")
                }
                union = union.union(StatusCodes(bounds[0]..<bounds[1]))
            }
            codes = union
        }
        return ResponseValidation(
            acceptableStatusCodes: codes,
            acceptableContentTypes: contentTypes.map { Set($0.map { MediaRange($0) }) }
        )
    }
}

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
