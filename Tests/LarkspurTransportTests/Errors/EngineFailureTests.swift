#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Testing

@testable import LarkspurTransport

@Suite struct EngineFailureTests {
    @Test(
        "What the engine ends a task with has a code and says why",
        arguments: [
            (.cancelled, .cancelled, "cancelled"),
            (.sessionInvalidated, .cancelled, "invalidated"),
            (.requestTimedOut(60), .timedOut, "nothing happened for 60 seconds"),
            (.requestTimedOut(0.25), .timedOut, "0.25 seconds"),
            (.resourceTimedOut(1), .timedOut, "longer than 1 second in all"),
            (.resourceTimedOut(.infinity), .timedOut, "inf seconds"),
            (.resourceTimedOut(.nan), .timedOut, "nan seconds"),
            (.libcurlUnavailable("there is none"), .resourceUnavailable, "there is none"),
            (.resourcesExhausted("no thread"), .resourceUnavailable, "no thread"),
            (.noURL, .badURL, "no URL"),
            (.unsupportedScheme("gopher"), .unsupportedURL, "gopher"),
            (.malformedRequest("field X"), .badURL, "field X"),
            (.unexpectedBody, .dataLengthExceedsMaximum, "no content"),
            (.bodyUnavailable, .requestBodyStreamExhausted, "second time"),
            (.fileUnreadable(path: "/f", systemError: ENOENT), .fileDoesNotExist, "/f"),
            (.fileUnreadable(path: "/f", systemError: EISDIR), .fileIsDirectory, "directory"),
            (.fileUnreadable(path: "/f", systemError: EACCES), .noPermissionsToReadFile, "denied"),
            (.fileUnreadable(path: "/f", systemError: 0), .cannotOpenFile, "unknown"),
            (.fileUnwritable(path: "/f", systemError: ENOSPC), .cannotWriteToFile, "space"),
            (.malformedResponse("no status"), .cannotParseResponse, "no status"),
            (.responseHeadTooLarge(limit: 99), .cannotParseResponse, "99 bytes"),
            (.tooManyResponseFields(limit: 99), .cannotParseResponse, "99 fields"),
            (.contentTooLarge(limit: 99), .dataLengthExceedsMaximum, "99 bytes"),
            (.expansionLimitExceeded(factor: 99), .dataLengthExceedsMaximum, "99 times"),
            (.tooManyRedirects(limit: 20), .httpTooManyRedirects, "20"),
            (.redirectRefused("no location"), .redirectToNonExistentLocation, "no location"),
            (.authenticationCancelled, .userCancelledAuthentication, "cancelled"),
            (.authenticationFailed, .userAuthenticationRequired, "refused"),
            (.notInCache, .resourceUnavailable, "cache"),
            (.policyNotEnforceable("no OpenSSL"), .secureConnectionFailed, "no OpenSSL"),
        ] as [(EngineFailure, URLError.Code, String)]
    )
    func codes(failure: EngineFailure, code: URLError.Code, words: String) throws {
        let url = try #require(URL(string: "http://host/"))
        let error: any Error = failure.error(url: url)
        let urlError = try #require(error as? URLError)
        #expect(urlError.code == code)
        #expect(urlError.failingURL == url)
        #expect(error.localizedDescription.contains(words))
        #expect(error.localizedDescription.hasSuffix("."))
    }

    @Test("The errno of a file is underneath")
    func systemCause() {
        let error = EngineFailure.fileUnwritable(path: "/f", systemError: ENOSPC).error(url: nil)
        #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == Int(ENOSPC))
        #expect(error.failingURL == nil)
    }
}
#endif
