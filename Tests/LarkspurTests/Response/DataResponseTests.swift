import Testing

@testable import Larkspur

private struct ForeignError: Error {}

struct DataResponseTests {
    private let secret = "https://user:password@example.org/a%0Ab?token=secret#fragment"

    private func response(_ result: Result<Int, LarkspurError>) throws -> DataResponse<Int> {
        DataResponse(
            request: URLRequest(url: try #require(URL(string: secret))),
            response: try httpResponse(200, url: secret),
            data: Data("secret body"),
            timeline: Timeline(),
            result: result
        )
    }

    @Test func theOutcomeIsAtHand() throws {
        let success = try response(.success(3))
        #expect(success.value == 3)
        #expect(success.error == nil)
        #expect(success.statusCode == 200)
        #expect(success.httpResponse != nil)
        let failure = try response(.failure(LarkspurError(.timedOut, "late")))
        #expect(failure.value == nil)
        #expect(failure.error?.code == .timedOut)
    }

    @Test func aResponseIsMapped() throws {
        #expect(try response(.success(3)).map { $0 + 1 }.value == 4)
        #expect(try response(.success(3)).tryMap { "\($0)" }.value == "3")
        let failure = try response(.failure(LarkspurError(.timedOut, "late")))
        #expect(failure.map { $0 + 1 }.error?.code == .timedOut)
        #expect(failure.tryMap { $0 + 1 }.error?.code == .timedOut)
    }

    @Test func anErrorIsMapped() throws {
        let failure = try response(.failure(LarkspurError(.timedOut, "late")))
        let mapped = failure.mapError { LarkspurError(.cancelled, $0.message) }
        #expect(mapped.error?.code == .cancelled && mapped.error?.message == "late")
        #expect(mapped.data == failure.data && mapped.request == failure.request)
        #expect(try response(.success(3)).mapError { $0 }.value == 3)
    }

    @Test func whatMappingThrowsIsKept() throws {
        let response = try response(.success(3))
        let wrapped = try #require(response.tryMap { _ -> Int in throw ForeignError() }.error)
        #expect(wrapped.code == .responseSerializationFailed)
        #expect(wrapped.underlyingError is ForeignError)
        #expect(wrapped.responseData == response.data)
        #expect(wrapped.request == response.request)
        let own = response.tryMap { _ -> Int in throw LarkspurError(.emptyResponse, "mine") }
        #expect(own.error?.code == .emptyResponse)
    }

    @Test func theDescriptionHoldsNoSecrets() throws {
        let text = try response(.success(3)).description
        #expect(text == "GET https://example.org/a%0Ab?… -> 200, 11 bytes, success")
        let failure = try response(.failure(LarkspurError(.timedOut, "late"))).description
        #expect(failure.hasSuffix("timed-out"))
        let nothing = DataResponse<Int>(
            request: nil,
            response: nil,
            data: Data(),
            timeline: Timeline(),
            result: .failure(LarkspurError(.invalidURL, "no"))
        )
        #expect(nothing.description == "GET no URL -> no response, 0 bytes, invalid-url")
    }

    @Test func anErrorsDescriptionHoldsNoSecretsAndDoesNotTrap() throws {
        let error = LarkspurError(.timedOut, "late", failingURL: URL(string: secret))
        #expect(error.description == "timed-out: late [https://example.org/a%0Ab?…]")
    }

    @Test func aDownloadsOutcomeIsAtHand() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("file")
        let download = DownloadResponse(
            request: URLRequest(url: try #require(URL(string: secret))),
            response: try httpResponse(206, url: secret),
            timeline: Timeline(),
            result: .success(file)
        )
        #expect(download.fileURL == file)
        #expect(download.error == nil)
        #expect(download.statusCode == 206)
        #expect(download.description == "GET https://example.org/a%0Ab?… -> 206, \(file.path), success")
    }
}
