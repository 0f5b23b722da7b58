import Testing

@testable import LarkspurImages

@Suite("Settings of session managers with images")
struct ImageSettingsTests {
    private struct OwnImageDecoder: ImageDecoder {
        func decode(_ data: Data, header: ImageHeader) -> ImagePixels? { nil }
    }

    private func roundTrip(_ settings: SessionManagerSettings) throws -> SessionManagerSettings {
        try JSONDecoder().decode(SessionManagerSettings.self, from: JSONEncoder().encode(settings))
    }

    private static let serializer = ImageResponseSerializer(
        maximumPixelCount: 7,
        requiresMatchingType: false,
        decodesPixels: false
    )

    @Test("A serializer of images comes back")
    func serializer() throws {
        let settings = try SessionManager(responseSerializer: Self.serializer).settings

        let manager = try SessionManager(settings: roundTrip(settings))

        #expect(try manager.settings == settings)
        let copy = try #require(manager.responseSerializer as? ImageResponseSerializer)
        #expect(copy.maximumPixelCount == 7 && !copy.requiresMatchingType && !copy.decodesPixels)
        #expect(copy.validation == Self.serializer.validation)
    }

    @Test("A serializer of images comes back from a compound one")
    func member() throws {
        let settings = try SessionManager(responseSerializer: CompoundResponseSerializer([Self.serializer])).settings

        let manager = try SessionManager(settings: roundTrip(settings))

        #expect(try manager.settings == settings)
        let copy = try #require(manager.responseSerializer as? CompoundResponseSerializer)
        #expect(copy.members.map { ($0 as? ImageResponseSerializer)?.maximumPixelCount } == [7])
    }

    @Test("Settings that were written down before have the same names, and what is absent has its default")
    func names() throws {
        let text = #"""
            {"securityPolicy": {"pinningMode": "none", "pinnedCertificates": [], "allowInvalidCertificates": false,
            "validatesDomainName": true},
            "responseSerializer": {"kind": "image", "maximumPixelCount": 7}}
            """#
        let settings = try JSONDecoder().decode(SessionManagerSettings.self, from: Data(text.utf8))

        let serializer = try SessionManager(settings: settings).responseSerializer as? ImageResponseSerializer

        #expect(serializer?.maximumPixelCount == 7)
        #expect(serializer?.requiresMatchingType == true && serializer?.decodesPixels == true)
    }

    @Test("A decoder of the caller's own is an error that names it")
    func ownDecoder() throws {
        let manager = SessionManager(responseSerializer: ImageResponseSerializer(decoder: OwnImageDecoder()))

        let error = #expect(throws: LarkspurError.self) { try manager.settings }

        #expect(error?.code == .invalidSettings)
        #expect(error?.message.contains("OwnImageDecoder") == true)
    }
}
