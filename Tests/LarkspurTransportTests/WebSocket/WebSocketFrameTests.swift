import HTTPSyntax
import Testing

@Suite("WebSocketFrameHeader")
struct WebSocketFrameTests {
    /// Parses one header; the number of bytes that were needed goes along with it, or with the failure.
    private func parse(
        _ bytes: [UInt8],
        role: WebSocketRole = .client,
        allowsCompression: Bool = false
    ) -> (header: WebSocketFrameHeader?, failure: WebSocketFailure?, count: Int) {
        var parser = WebSocketHeaderParser(role: role, allowsCompression: allowsCompression)
        for (index, byte) in bytes.enumerated() {
            do {
                if let header = try parser.take(byte) { return (header, nil, index + 1) }
            } catch {
                return (nil, error, index + 1)
            }
        }
        return (nil, nil, bytes.count)
    }

    @Test(
        "Headers are written with the shortest length, and parsed as they were written",
        arguments: [
            (0, [0x82, 0x00]), (125, [0x82, 0x7D]), (126, [0x82, 126, 0, 126]), (256, [0x82, 126, 1, 0]),
            (0xFFFF, [0x82, 126, 0xFF, 0xFF]), (0x1_0000, [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
            (UInt64(Int64.max), [0x82, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        ] as [(UInt64, [UInt8])]
    )
    func lengths(length: UInt64, bytes: [UInt8]) {
        let header = WebSocketFrameHeader(opcode: .binary, length: length)
        var written: [UInt8] = []
        header.write(into: &written)
        #expect(written == bytes)
        let parsed = parse(bytes)
        #expect(parsed.header == header)
        #expect(parsed.count == bytes.count)

        let masked = WebSocketFrameHeader(opcode: .binary, mask: WebSocketMask(key: 0x0102_0304), length: length)
        var maskedBytes: [UInt8] = []
        masked.write(into: &maskedBytes)
        #expect(maskedBytes[1] == bytes[1] | 0x80)
        #expect(maskedBytes.suffix(4) == [1, 2, 3, 4])
        #expect(parse(maskedBytes, role: .server).header == masked)
    }

    @Test("Every first byte is accepted or refused as in the RFC", arguments: [false, true])
    func firstBytes(allowsCompression: Bool) {
        for byte in UInt8.min ... .max {
            let opcode = WebSocketOpcode(rawValue: byte & 0x0F)
            let isFinal = byte & 0x80 != 0
            let reserved = byte & 0x70
            let isData = opcode == .text || opcode == .binary
            let isAllowed =
                opcode != nil && (isFinal || opcode?.isControl == false)
                && (reserved == 0 || allowsCompression && isData && reserved == 0x40)
            let result = parse([byte, 0], allowsCompression: allowsCompression)
            #expect((result.header != nil) == isAllowed, "\(byte)")
            #expect(result.count == (isAllowed ? 2 : 1), "\(byte)")
            if let header = result.header {
                #expect(header.opcode == opcode && header.isFinal == isFinal && header.reserved == reserved >> 4)
            } else {
                #expect(result.failure?.closeCode == 1002)
            }
        }
    }

    @Test(
        "A fault is reported at the first byte that shows it",
        arguments: [
            // A mask from the server, and none from the client.
            (.client, [0x81, 0x80], 2), (.server, [0x81, 0x00], 2),
            // Long control frames.
            (.client, [0x88, 126], 2), (.client, [0x89, 127], 2), (.server, [0x8A, 0x80 | 126], 2),
            // Lengths in a form that is too long.
            (.client, [0x82, 126, 0, 125], 4), (.client, [0x82, 126, 0, 0], 4),
            (.client, [0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 10),
            (.client, [0x82, 127, 0, 0, 0, 0, 0, 0, 0, 5], 10),
            // The highest bit of a length.
            (.client, [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], 10),
        ] as [(WebSocketRole, [UInt8], Int)]
    )
    func faults(role: WebSocketRole, bytes: [UInt8], count: Int) {
        let result = parse(bytes + [0, 0, 0, 0], role: role)
        #expect(result.failure?.closeCode == 1002)
        #expect(result.count == count)
    }

    @Test("Masks are applied as in the RFC, for any alignment, length and chunk")
    func masks() {
        let mask = WebSocketMask(key: 0x37FA_213D)
        let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        for count in 0...40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let expected = bytes.enumerated().map { $1 ^ key[$0 % 4] }
            for cut in 0...count {
                var masked = bytes
                masked.withUnsafeMutableBytes { all in
                    mask.apply(to: .init(rebasing: all[..<cut]), offset: 0)
                    mask.apply(to: .init(rebasing: all[cut...]), offset: cut)
                }
                #expect(masked == expected)
            }
        }
    }
}
