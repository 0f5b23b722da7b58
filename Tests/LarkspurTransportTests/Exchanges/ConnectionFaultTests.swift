#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Faults of connections")
struct ConnectionFaultTests {
    @Test(
        "The failure of a stream is a fault of the connection, unless the server has reset the stream",
        arguments: [
            (16, "", true), (18, "", true), (52, "", true), (55, "", true), (56, "", true), (95, "", true),
            (0, "", false), (7, "", false), (23, "", false), (28, "", false), (92, "", false),
            (92, "HTTP/2 stream 3 reset by curl (error 0x2 INTERNAL_ERROR)", true),
            (92, "HTTP/2 stream 3 reset by server (error 0x2 INTERNAL_ERROR)", false),
            (92, "HTTP/2 stream 3 was not closed cleanly: INTERNAL_ERROR (err 2)", false),
            (28, "HTTP/2 stream 3 reset by curl (error 0x2 INTERNAL_ERROR)", false),
        ] as [(Int32, String, Bool)]
    )
    func faults(_ result: Int32, _ message: String, _ isFault: Bool) {
        #expect(ConnectionFault.isFault(result, message: message) == isFault)
    }
}
#endif
