/// The size that a file gives, which may be nonsense.
struct ImageSize: Equatable {
    let width: Int64
    let height: Int64

    /// Of two, the one with more pixels; both have sides of 32 bits.
    func larger(_ other: ImageSize?) -> ImageSize {
        guard let other else { return self }
        return width.magnitude &* height.magnitude < other.width.magnitude &* other.height.magnitude ? other : self
    }
}

/// What is wrong with a file of a known format.
enum ImageDefect: Error {
    case truncated
    case malformed
}

extension Optional {
    /// The value that a file that is whole has at this place.
    func orTruncated() throws(ImageDefect) -> Wrapped {
        guard let self else { throw .truncated }
        return self
    }

    /// The value that a file of the format has.
    func orMalformed() throws(ImageDefect) -> Wrapped {
        guard let self else { throw .malformed }
        return self
    }
}
