/// A reader of a form's body, from its beginning to its end, one buffer at a time. It is used on one thread at a time.
///
/// It opens one file or stream after the other. It delivers exactly ``MultipartFormData/contentLength`` bytes, or
/// fails.
final class MultipartReader {
    /// The number of bytes that are read at once if the reader can choose.
    static let pieceSize = 1 << 17

    /// A section of the body.
    private enum Section {
        case beginning(of: Int)
        case content(of: Int)
        case end
        case nothing
    }

    private let form: MultipartFormData
    private var throttle: Throttle?
    private var next = Section.nothing
    private var source: (any MultipartSource)?

    /// - Parameter clock: The clock for a form that is throttled. Default: the system's.
    init(_ form: MultipartFormData, clock: any ThrottleClock = SystemThrottleClock()) {
        self.form = form
        throttle = form.bytesPerSecond.map { Throttle(bytesPerSecond: $0, clock: clock) }
        next = form.parts.isEmpty ? .end : .beginning(of: 0)
    }

    /// Reads as many bytes as are available and fit into the buffer. Reads fewer if the rest would have to be waited
    /// for. Returns 0 only at the end, or if the buffer is empty.
    /// - Throws: `bodyUnreadable`.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LarkspurError) -> Int {
        let room = throttle.map { min($0.pieceSize, buffer.count) } ?? buffer.count
        throttle?.waitForTurn()
        var count = 0
        while count < room {
            if source == nil {
                source = try nextSource()
                guard source != nil else { break }
            }
            guard let source else { break }
            let piece = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count..<room]))
            if piece == 0 { self.source = nil }
            count += piece
            if piece > 0, source.mayHaveToBeWaitedFor { break }
        }
        throttle?.note(count)
        return count
    }

    private func nextSource() throws(LarkspurError) -> (any MultipartSource)? {
        switch next {
        case .beginning(let index):
            next = .content(of: index)
            return MultipartDataSource(form.delimiter(before: index) + form.parts[index].header)
        case .content(let index):
            next = index + 1 < form.parts.count ? .beginning(of: index + 1) : .end
            return try form.parts[index].makeSource()
        case .end:
            next = .nothing
            return MultipartDataSource(form.closingDelimiter)
        case .nothing:
            return nil
        }
    }
}

extension MultipartPart {
    fileprivate func makeSource() throws(LarkspurError) -> any MultipartSource {
        switch content {
        case .data(let data): MultipartDataSource(data)
        case .file(let file, let size): try MultipartFile(file, expectedSize: size)
        case .stream(let length, let make): MultipartStream(try make(), length: length)
        }
    }
}
