import HTTPSyntax

/// A character encoding and its name in HTTP (RFC 2978).
///
/// The table contains the encodings that Foundation decodes correctly on Linux. Each of them was compared with an
/// independent decoder byte by byte. Mac OS Roman and IBM866 are omitted, because Foundation returns wrong characters
/// for them there. UTF-7 and HZ are omitted, because no server should send them.
package struct Charset: Sendable {
    /// The name that messages show.
    package let name: String
    package let encoding: String.Encoding

    /// Creates the charset of an encoding that the caller chose.
    package init(_ encoding: String.Encoding) {
        self.encoding = encoding
        name = Self.preferredNames[encoding] ?? String(describing: encoding)
    }

    /// Creates the charset of a name. The name may be in upper or lower case, and in quotation marks. Nil if the
    /// charset cannot be decoded.
    package init?(named text: String) {
        let name = text.trimmingCharacters(in: CharacterSet(charactersIn: "'\" \t")).inLowercase
        guard let encoding = Self.encodings[name] else { return nil }
        self.name = name
        self.encoding = encoding
    }

    /// Creates the charset that a byte order mark indicates; nil if there is no mark.
    package init?(markedIn data: Data) {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) {
            self.init(.utf8)
        } else if data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE]) {
            // Foundation takes the byte order from the mark.
            self.init(.utf16)
        } else {
            return nil
        }
    }

    /// Whether the encoding represents ASCII text as ASCII. If it does, a declaration in ASCII can be read before the
    /// encoding is known.
    package var keepsASCII: Bool { !Self.stateful.contains(encoding) && codeUnitSize == 1 }

    /// Decodes bytes in this encoding into text without a byte order mark; nil if the bytes are not valid.
    package func decode(_ data: Data) -> String? {
        // Foundation drops the odd byte at the end of a truncated text without an error.
        guard data.count.isMultiple(of: codeUnitSize) else { return nil }
        if encoding == .japaneseEUC { return Self.decodeJapaneseEUC(data) }
        guard let text = String(data: data, encoding: encoding) else { return nil }
        guard text.unicodeScalars.first == "\u{FEFF}" else { return text }
        return String(text.unicodeScalars.dropFirst())
    }

    /// The number of bytes of the smallest unit: a truncated text may end within it.
    package var codeUnitSize: Int {
        switch encoding {
        case .utf16, .utf16BigEndian, .utf16LittleEndian: 2
        case .utf32, .utf32BigEndian, .utf32LittleEndian: 4
        default: 1
        }
    }

    /// Decodes EUC-JP by converting it to Shift_JIS, because Foundation on Linux decodes only the ASCII part of EUC-JP.
    /// The result is nil for characters of JIS X 0212, which Shift_JIS does not have.
    private static func decodeJapaneseEUC(_ data: Data) -> String? {
        var shifted = Data(capacity: data.count)
        var bytes = data.makeIterator()
        while let lead = bytes.next() {
            switch lead {
            case 0..<0x80:
                shifted.append(lead)
            case 0x8E:
                guard let kana = bytes.next(), (0xA1...0xDF).contains(kana) else { return nil }
                shifted.append(kana)
            case 0xA1...0xFE:
                guard let trail = bytes.next(), (0xA1...0xFE).contains(trail) else { return nil }
                let row = lead - 0xA1
                let cell = trail - 0xA1
                shifted.append(row / 2 + (row < 62 ? 0x81 : 0xC1))
                // Two rows share a lead byte. In the first of the two rows, the trail bytes omit 0x7F.
                shifted.append(row.isMultiple(of: 2) ? cell + (cell < 63 ? 0x40 : 0x41) : cell + 0x9F)
            default:
                return nil
            }
        }
        return String(data: shifted, encoding: .shiftJIS)
    }
}

extension Charset {
    private static let stateful: Set<String.Encoding> = [.iso2022JP, coreFoundation(0x840)]

    private static let preferredNames = Dictionary(
        table.compactMap { row in row.names.first.map { (row.encoding, $0) } },
        uniquingKeysWith: { first, _ in first }
    )

    private static let encodings = Dictionary(
        table.flatMap { row in row.names.map { (TextKey($0), row.encoding) } },
        uniquingKeysWith: { first, _ in first }
    )

    /// Returns an encoding for which Foundation has no constant, by its number in CoreFoundation.
    private static func coreFoundation(_ number: UInt) -> String.Encoding {
        String.Encoding(rawValue: 0x8000_0000 | number)
    }

    /// Names and common aliases in lower case, the preferred one first (IANA's character sets registry).
    private static let table: [(encoding: String.Encoding, names: [String])] =
        [
            (.utf8, ["utf-8", "utf8", "unicode-1-1-utf-8"]),
            (.utf16, ["utf-16", "utf16", "iso-10646-ucs-2", "ucs-2", "unicode"]),
            (.utf16BigEndian, ["utf-16be"]),
            (.utf16LittleEndian, ["utf-16le"]),
            (.utf32, ["utf-32", "utf32", "iso-10646-ucs-4", "ucs-4"]),
            (.utf32BigEndian, ["utf-32be"]),
            (.utf32LittleEndian, ["utf-32le"]),
            (.ascii, ["us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us", "us"]),
            (.isoLatin1, ["iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "l1", "cp819"]),
            (.isoLatin2, ["iso-8859-2", "iso8859-2", "iso_8859-2", "latin2", "l2"]),
            (coreFoundation(0x205), ["iso-8859-5", "iso8859-5", "iso_8859-5", "cyrillic"]),
            (coreFoundation(0x206), ["iso-8859-6", "iso8859-6", "iso_8859-6", "arabic"]),
            (coreFoundation(0x207), ["iso-8859-7", "iso8859-7", "iso_8859-7", "greek"]),
            (coreFoundation(0x208), ["iso-8859-8", "iso8859-8", "iso_8859-8", "iso-8859-8-i", "hebrew"]),
            (coreFoundation(0x209), ["iso-8859-9", "iso8859-9", "iso_8859-9", "latin5", "l5"]),
            (coreFoundation(0x20F), ["iso-8859-15", "iso8859-15", "iso_8859-15", "latin-9", "latin9", "l9"]),
            (.windowsCP1250, ["windows-1250", "cp1250", "x-cp1250"]),
            (.windowsCP1251, ["windows-1251", "cp1251", "x-cp1251"]),
            (.windowsCP1252, ["windows-1252", "cp1252", "x-cp1252"]),
            (.windowsCP1253, ["windows-1253", "cp1253", "x-cp1253"]),
            (.windowsCP1254, ["windows-1254", "cp1254", "x-cp1254"]),
            (.shiftJIS, ["shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "csshiftjis"]),
            (coreFoundation(0x420), ["windows-31j", "cp932", "ms932"]),
            (.japaneseEUC, ["euc-jp", "x-euc-jp"]),
            (.iso2022JP, ["iso-2022-jp", "csiso2022jp"]),
            // GB 18030 includes GBK and GB 2312. Foundation on Linux has no separate decoder for GBK.
            (
                coreFoundation(0x632),
                ["gb18030", "gbk", "gb2312", "cp936", "ms936", "windows-936", "x-gbk", "euc-cn", "gb_2312-80"]
            ),
            (coreFoundation(0xA03), ["big5", "big-5", "cn-big5", "x-x-big5"]),
            (coreFoundation(0x422), ["euc-kr", "ks_c_5601-1987", "korean", "windows-949", "cp949", "uhc"]),
            (coreFoundation(0x840), ["iso-2022-kr"]),
            (coreFoundation(0xA02), ["koi8-r", "koi8"]),
            (coreFoundation(0xA08), ["koi8-u"]),
        ]
        + [3, 4, 10, 11, 13, 14, 16].map { part in
            (coreFoundation(0x200 + UInt(part)), ["iso-8859-\(part)", "iso8859-\(part)", "iso_8859-\(part)"])
        }
        + [5, 6, 7, 8].map { part in
            (coreFoundation(0x500 + UInt(part)), ["windows-125\(part)", "cp125\(part)", "x-cp125\(part)"])
        }
}
