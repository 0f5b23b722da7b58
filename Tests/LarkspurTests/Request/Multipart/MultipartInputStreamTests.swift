#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("The stream of a multipart form", .timeLimit(.minutes(5)))
struct MultipartInputStreamTests {
    let folder = TemporaryFolder()

    private func read(_ stream: InputStream, _ size: Int = 1 << 16) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: size)
        let count = stream.read(&buffer, maxLength: size)
        return count < 0 ? nil : Array(buffer[..<count])
    }

    @Test("The status of the stream is open, then at its end, then closed")
    func life() throws {
        var form = MultipartFormData()
        form.append(text: "Ada", name: "author")
        let stream = form.makeInputStream()
        #expect(stream.streamStatus == .notOpen && !stream.hasBytesAvailable)
        #expect(read(stream) == [])
        stream.open()
        #expect(stream.streamStatus == .open && stream.hasBytesAvailable)
        #expect(read(stream) == Array(try form.data()))
        #expect(stream.streamStatus == .open)
        #expect(read(stream) == [])
        #expect(stream.streamStatus == .atEnd && !stream.hasBytesAvailable)
        stream.open()
        #expect(read(stream) == [])
        stream.close()
        #expect(stream.streamStatus == .closed && stream.streamError == nil)
    }

    @Test("The status, the error and the result of reading report an error that is not an end")
    func failure() throws {
        let file = try folder.file("file", Data(count: 10))
        var form = MultipartFormData()
        try form.append(file: file, name: "a")
        try Data(count: 11).write(to: file)
        let errors = Recorder<LarkspurError>()
        let stream = Platform.makeMultipartStream(of: form) { errors.record($0) }
        stream.open()
        #expect(read(stream) == nil)
        #expect(read(stream) == nil)
        #expect(stream.streamStatus == .error && stream.hasBytesAvailable)
        #expect((stream.streamError as? LarkspurError)?.code == .bodyUnreadable)
        stream.close()
        #expect(stream.streamStatus == .error)
        #expect(errors.values.map(\.code) == [.bodyUnreadable])
    }

    @Test("A multipart stream can be created again from its beginning, and other streams cannot")
    func remaking() throws {
        var form = MultipartFormData()
        form.append(text: "Ada", name: "author")
        let stream = form.makeInputStream()
        stream.open()
        _ = read(stream, 5)
        let again = try #require(Platform.remade(stream) { _ in })
        again.open()
        #expect(read(again) == Array(try form.data()))
        #expect(Platform.remade(InputStream(data: Data())) { _ in } == nil)
        #expect(Platform.remade(nil) { _ in } == nil)
    }
}
#endif
