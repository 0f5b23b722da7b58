import Testing

@testable import Larkspur

struct StatusCodesTests {
    @Test(arguments: [
        (StatusCodes.informational, 100, 199), (.successful, 200, 299), (.redirection, 300, 399),
        (.clientError, 400, 499), (.serverError, 500, 999),
    ])
    func aClassHoldsItsHundred(codes: StatusCodes, first: Int, last: Int) {
        #expect(codes.contains(first) && codes.contains(last))
        #expect(!codes.contains(first - 1) && !codes.contains(last + 1))
    }

    @Test func setsAreWrittenAsLiteralsAndRanges() {
        #expect(StatusCodes(200..<300) == StatusCodes(200...299))
        #expect(([200, 304] as StatusCodes).contains(304))
        #expect(!([200, 304] as StatusCodes).contains(250))
        #expect((404 as StatusCodes) == [404])
        #expect(StatusCodes(Set([1, 2])) == StatusCodes(1...2))
    }

    @Test func setsAreCombined() {
        let codes = StatusCodes.successful.union([304]).subtracting([204])
        #expect(codes.contains(304) && codes.contains(200))
        #expect(!codes.contains(204))
        #expect(codes.description == "200...203, 205...299, 304")
    }

    @Test func extremesDoNotTrap() {
        #expect(StatusCodes(0...Int.max).contains(404))
        #expect(StatusCodes([Int.max, Int.min]).contains(Int.min))
        #expect(!StatusCodes([]).contains(Int.max))
    }
}
