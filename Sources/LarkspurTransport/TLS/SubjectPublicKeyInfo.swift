/// A public key with its algorithm (RFC 5280, section 4.1.2.7), from which pins are made.
struct SubjectPublicKeyInfo: Equatable {
    /// The key in DER.
    let encoding: Data

    init(encoding: Data) { self.encoding = encoding }

    /// Reads the key of a certificate (RFC 5280, section 4.1); nil if the bytes are not a certificate.
    init?(certificate: Data) {
        guard var outer = DERReader.sequence(ArraySlice(certificate)),
            let body = outer.read(DERReader.Tag.sequence), outer.read(DERReader.Tag.sequence) != nil,
            outer.read(DERReader.Tag.bitString) != nil, outer.isAtEnd
        else { return nil }
        var fields = DERReader(body.content)
        if fields.nextTag == DERReader.Tag.version, fields.read() == nil { return nil }
        guard fields.read(DERReader.Tag.integer) != nil else { return nil }
        // The algorithm of the signature, the issuer, the validity and the subject.
        for _ in 0..<4 where fields.read(DERReader.Tag.sequence) == nil { return nil }
        guard let key = fields.read(DERReader.Tag.sequence), Self.isKey(key.encoding) else { return nil }
        encoding = Data(key.encoding)
    }

    /// Reads a public key from a file of its own: with its algorithm, or a bare RSA key (RFC 8017, appendix A.1.1).
    init?(publicKey: Data) {
        let bytes = ArraySlice(publicKey)
        if Self.isKey(bytes) {
            encoding = publicKey
        } else if Self.isBareRSAKey(bytes) {
            let algorithm = DERReader.encoded(DERReader.Tag.sequence, Self.rsaEncryption)
            let key = DERReader.encoded(DERReader.Tag.bitString, [0] + bytes)
            encoding = Data(DERReader.encoded(DERReader.Tag.sequence, algorithm + key))
        } else {
            return nil
        }
    }

    /// The object identifier 1.2.840.113549.1.1.1 and its parameters, which are NULL (RFC 3279, section 2.3.1).
    private static let rsaEncryption: [UInt8] = [
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    private static func isKey(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard var fields = DERReader.sequence(bytes), let algorithm = fields.read(DERReader.Tag.sequence),
            let key = fields.read(DERReader.Tag.bitString), fields.isAtEnd, key.content.count > 1
        else { return false }
        var identifier = DERReader(algorithm.content)
        return identifier.read(DERReader.Tag.objectIdentifier) != nil
    }

    private static func isBareRSAKey(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard var fields = DERReader.sequence(bytes) else { return false }
        return fields.read(DERReader.Tag.integer) != nil && fields.read(DERReader.Tag.integer) != nil && fields.isAtEnd
    }
}
