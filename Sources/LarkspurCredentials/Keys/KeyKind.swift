/// The kind of a key pair, which decides about its algorithms.
enum KeyKind: Equatable, Sendable, CustomStringConvertible {
    case rsa(bits: Int)
    /// A key for RSASSA-PSS alone.
    case rsaPSS(bits: Int)
    case p256
    case p384
    case ed25519
    /// For example a curve that is given by its numbers and not by its name.
    case other

    /// Reads the kind from a SubjectPublicKeyInfo in DER (RFC 5280, section 4.1).
    init(_ der: some Sequence<UInt8>) { self = Self.read(der) ?? .other }

    private static func read(_ der: some Sequence<UInt8>) -> KeyKind? {
        var reader = DERReader(der)
        guard var info = reader.readSequence(), var algorithm = info.readSequence(),
            let name = algorithm.read(DERReader.Tag.objectIdentifier), let key = info.read(DERReader.Tag.bitString)
        else { return nil }
        switch Array(name) {
        case Name.rsa: return bits(key).map { .rsa(bits: $0) }
        case Name.rsaPSS: return bits(key).map { .rsaPSS(bits: $0) }
        case Name.ed25519: return .ed25519
        case Name.ellipticCurve:
            guard let curve = algorithm.read(DERReader.Tag.objectIdentifier) else { return nil }
            return Array(curve) == Name.p256 ? .p256 : Array(curve) == Name.p384 ? .p384 : nil
        default: return nil
        }
    }

    /// Object identifiers in DER (RFC 3279, section 2.3; RFC 4055, section 3; RFC 5480, section 2; RFC 8410, section
    /// 3).
    private enum Name {
        static let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        static let rsaPSS: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A]
        static let ellipticCurve: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        static let p256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        static let p384: [UInt8] = [0x2B, 0x81, 0x04, 0x00, 0x22]
        static let ed25519: [UInt8] = [0x2B, 0x65, 0x70]
    }

    /// Returns the size of an RSA key in bits (RFC 8017, appendix A.1.1).
    private static func bits(_ key: ArraySlice<UInt8>) -> Int? {
        // The first byte is the number of unused bits.
        var reader = DERReader(key.dropFirst())
        guard key.first == 0, var numbers = reader.readSequence(), let modulus = numbers.readNatural() else {
            return nil
        }
        return modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
    }

    /// The greatest length of a signature of OpenSSL in bytes.
    var signatureSize: Int {
        switch self {
        case .rsa(let bits), .rsaPSS(let bits): (bits + 7) / 8
        case .p256: 72
        case .p384: 104
        case .ed25519: 64
        case .other: 0
        }
    }

    var description: String {
        switch self {
        case .rsa(let bits): "RSA with \(bits) bits"
        case .rsaPSS(let bits): "RSASSA-PSS with \(bits) bits"
        case .p256: "P-256"
        case .p384: "P-384"
        case .ed25519: "Ed25519"
        case .other: "of another kind"
        }
    }
}
