/// The size in a file's header, which may be invalid.
struct ImageSize: Equatable {
    let width: Int64
    let height: Int64

    /// Returns the one of two sizes that has more pixels. Both must have sides of 32 bits.
    func larger(_ other: ImageSize?) -> ImageSize {
        guard let other else { return self }
        return width.magnitude &* height.magnitude < other.width.magnitude &* other.height.magnitude ? other : self
    }
}

/// The defect of a file of a known format.
enum ImageDefect: Error {
    case truncated
    case malformed
}

extension Optional {
    /// Returns the value; throws `truncated` if it is nil, because a complete file has the value.
    func orTruncated() throws(ImageDefect) -> Wrapped {
        guard let self else { throw .truncated }
        return self
    }

    /// Returns the value; throws `malformed` if it is nil, because a file of the format has the value.
    func orMalformed() throws(ImageDefect) -> Wrapped {
        guard let self else { throw .malformed }
        return self
    }
}
