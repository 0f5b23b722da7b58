extension XMLContent {
    /// Throws for comments that libxml2 would take too long to reject.
    ///
    /// A comment must not contain two hyphens except at its end. For each such pair libxml2 copies the comment up to
    /// that point into an error, which takes a minute for a mebibyte of hyphens. Documents with few pairs are left to
    /// libxml2, because its error has their position.
    static func requireCheapComments(_ bytes: UnsafeRawBufferPointer) throws(LarkspurError) {
        guard copiedBytes(bytes) > max(16 * bytes.count, 1 << 20) else { return }
        throw LarkspurError(
            .responseSerializationFailed,
            "The content is not well-formed XML: a comment has many pairs of hyphens"
        )
    }

    private enum Place {
        case markup, comment, instruction, section
    }

    /// Returns the number of bytes of comments that libxml2 would copy into errors.
    ///
    /// Zeros are skipped, so that UTF-16 looks like ASCII.
    private static func copiedBytes(_ bytes: UnsafeRawBufferPointer) -> Int {
        var place = Place.markup
        var copied = 0
        var length = 0
        /// The last eight bytes that were read.
        var recent: UInt64 = 0
        for byte in bytes where byte != 0 {
            recent = recent << 8 | UInt64(byte)
            switch place {
            case .markup:
                if recent & 0xFFFF_FFFF == 0x3C21_2D2D {
                    (place, length, recent) = (.comment, 0, 0)
                } else if recent & 0xFFFF == 0x3C3F {
                    (place, recent) = (.instruction, 0)
                } else if recent == 0x215B_4344_4154_415B {
                    (place, recent) = (.section, 0)
                }
            case .comment:
                length += 1
                if recent & 0xFF_FFFF == 0x2D2D3E {
                    place = .markup
                } else if recent >> 8 & 0xFFFF == 0x2D2D {
                    copied += length
                }
            case .instruction: if recent & 0xFFFF == 0x3F3E { place = .markup }
            case .section: if recent & 0xFF_FFFF == 0x5D5D3E { place = .markup }
            }
        }
        return copied
    }
}
