import Testing

@testable import Larkspur

@Suite("The adapter of FoundationNetworking")
struct FoundationTransportAdapterTests {
    @Test(
        "Timeouts become whole seconds that neither overflow nor become zero",
        arguments: [
            (0.001, 1), (0.5, 1), (1, 1), (1.2, 2), (60, 60), (1e16, 1e9), (.infinity, 1e9),
            (.greatestFiniteMagnitude, 1e9), (0, 60), (-1, 60),
            (.nan, 60), (-.infinity, 60),
        ] as [(TimeInterval, TimeInterval)]
    )
    func wholeSeconds(_ row: (given: TimeInterval, used: TimeInterval)) {
        #expect(FoundationTransportAdapter.wholeSeconds(row.given) == row.used)
    }
}
