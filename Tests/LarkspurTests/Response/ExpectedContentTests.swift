import HTTPSyntax
import Testing

@testable import Larkspur

/// The values of `openssl dgst` for the content "content".
enum ContentDigests {
    static let content = Data("content".utf8)
    static let sha256 = "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"
    static let sha256Base64 = "7XACtDnprIRfIjV9giusFERzD722AW0+yUMil7nsn3M="
    static let sha512Base64 = "stHShbUZnIX5iNA2ScN+RP093gHl1pxQ/vkGUZYvSBEOk0C2DUmkecTAtT9fB9aQaG3YfSSBk3pRLouF7nxhfw=="
    static var sha512: String { Data(base64Encoded: sha512Base64)?.hexadecimal ?? "" }
    /// The SHA-256 digests of other content, and of none.
    static let other = "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa"
    static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
}

@Suite("Expected content")
struct ExpectedContentTests {
    typealias Digest = DigestVerification.Digest

    private func error(
        _ digest: Digest? = nil,
        _ size: Int64? = nil,
        content: DigestVerification.Content = .data(ContentDigests.content)
    ) -> LarkspurError? {
        do throws(LarkspurError) {
            try ExpectedContent(digest: digest, size: size).verify(content)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A digest is read from hexadecimal digits and from base64",
        arguments: [
            Digest.sha256(ContentDigests.sha256), .sha256(ContentDigests.sha256.uppercased()),
            .sha256(ContentDigests.sha256Base64), .sha512(ContentDigests.sha512),
            .sha512(ContentDigests.sha512.uppercased()), .sha512(ContentDigests.sha512Base64),
        ]
    )
    func notations(_ digest: Digest) {
        #expect(digest.failure == nil)
        #expect(error(digest) == nil)
        #expect(error(digest, 7) == nil)
        #expect(error(digest, content: .data(Data("another".utf8)))?.code == .digestMismatch)
        #expect(error(digest, content: .data(Data()))?.code == .digestMismatch)
    }

    static let malformedTexts: [String] = [
        "", " ", "ed70", String(sha256.dropLast()), sha256 + "0", " " + sha256.dropFirst(), sha256 + "\n",
        String(sha256.dropLast()) + "g", String(sha256.dropLast(2)) + "é", "sha256:" + sha256, "sha256-" + base64,
        "0x" + sha256.dropLast(2), String(base64.dropLast()), base64 + "=", base64 + "\n",
        base64.replacingOccurrences(of: "+", with: "-"),
        // The last two bits of the last character are not zero, so the text is not the one of this hash.
        String(base64.dropLast(2)) + "N=", ContentDigests.sha512, ContentDigests.sha512Base64,
    ]
    private static let sha256 = ContentDigests.sha256
    private static let base64 = ContentDigests.sha256Base64

    @Test("A malformed text is an error, and matches no content", arguments: malformedTexts)
    func malformed(_ text: String) {
        let digest = Digest.sha256(text)
        #expect(digest.hash == nil)
        #expect(ExpectedContent(digest: digest, size: nil).failure?.code == .digestMismatch)
        for content in [ContentDigests.content, Data(), Data(text.utf8)] {
            let error = error(digest, content: .data(content))
            #expect(error?.code == .digestMismatch)
            #expect(
                error?.message.hasPrefix(
                    "The expected sha-256 digest is neither 64 hexadecimal digits nor 44 characters of base64: “"
                ) == true
            )
        }
    }

    @Test("A digest of the other algorithm's length is malformed")
    func otherLength() {
        #expect(
            Digest.sha512(ContentDigests.sha256).failure?.message
                == "The expected sha-512 digest is neither 128 hexadecimal digits nor 88 characters of base64: "
                + "“\(ContentDigests.sha256)”."
        )
    }

    @Test("An error names the expected and the found size and digest, in the notation of the caller")
    func messages() {
        let (hex, other) = (ContentDigests.sha256, ContentDigests.other)
        #expect(
            error(.sha256(other))?.message
                == "The content has 7 bytes and the sha-256 digest \(hex), "
                + "but should have the sha-256 digest \(other)."
        )
        #expect(
            error(.sha256(other.uppercased()), 8)?.message
                == "The content has 7 bytes and the sha-256 digest \(hex), "
                + "but should have 8 bytes and the sha-256 digest \(other)."
        )
        let base64 = Data(SHA512.hash(Data())).base64EncodedString()
        #expect(
            error(.sha512(base64), 7)?.message
                == "The content has 7 bytes and the sha-512 digest \(ContentDigests.sha512Base64), "
                + "but should have 7 bytes and the sha-512 digest \(base64)."
        )
        #expect(error(nil, 8)?.message == "The content has 7 bytes, but should have 8 bytes.")
    }

    @Test("Both the digest and the size must match")
    func both() {
        #expect(error(.sha256(ContentDigests.sha256), 7) == nil)
        #expect(error(.sha256(ContentDigests.sha256), 6)?.code == .digestMismatch)
        #expect(error(.sha256(ContentDigests.other), 7)?.code == .digestMismatch)
        #expect(error(nil, 7) == nil)
        #expect(error(nil, 0)?.code == .digestMismatch)
        #expect(error(nil, -1)?.message == "The expected size is negative: -1 bytes.")
        #expect(error(.sha256(ContentDigests.empty), 0, content: .data(Data())) == nil)
    }

    @Test("A file is verified from its first byte, and a file that cannot be read is an error")
    func file() throws {
        let folder = TemporaryFolder()
        let file = try folder.file("file", ContentDigests.content)
        #expect(error(.sha256(ContentDigests.sha256), 7, content: .file(file)) == nil)
        #expect(error(.sha256(ContentDigests.other), 7, content: .file(file))?.code == .digestMismatch)
        #expect(error(nil, 6, content: .file(file))?.code == .digestMismatch)
        let missing = folder.url.appendingPathComponent("missing")
        #expect(error(.sha256(ContentDigests.sha256), content: .file(missing))?.code == .fileUnreadable)
        #expect(error(nil, 0, content: .file(missing))?.code == .fileUnreadable)
    }

    @Test("Streamed content is verified by its hash and its count")
    func stream() {
        var hashes = ContentHashes([.sha256])
        hashes.update(ContentDigests.content)
        #expect(error(.sha256(ContentDigests.sha256), 7, content: .hashed(hashes, count: 7)) == nil)
        #expect(error(.sha256(ContentDigests.sha256), 7, content: .hashed(hashes, count: 8))?.code == .digestMismatch)
        #expect(error(.sha256(ContentDigests.other), content: .hashed(hashes, count: 7))?.code == .digestMismatch)
        #expect(error(.sha512(ContentDigests.sha512), content: .hashed(hashes, count: 7))?.code == .digestMismatch)
    }

    @Test(
        "Content ends early as soon as its size can no longer match",
        arguments: [
            (0, -1, true), (5, -1, true), (6, -1, false), (0, 5, true), (5, 5, true), (0, 6, false), (0, 4, false),
            (0, 0, false), (6, 5, false), (.max, -1, false), (0, .max, false),
        ] as [(Int64, Int64, Bool)]
    )
    func early(received: Int64, announced: Int64, canMatch: Bool) {
        let expected = ExpectedContent(digest: nil, size: 5)
        let failure = expected.failure(received: received, announced: announced)
        #expect((failure == nil) == canMatch)
        #expect(failure?.code == (canMatch ? nil : .digestMismatch))
        #expect(failure?.message.contains("5 bytes") != false)
        let any = ExpectedContent(digest: .sha256(ContentDigests.sha256), size: nil)
        #expect(any.failure(received: received, announced: announced) == nil)
    }
}
