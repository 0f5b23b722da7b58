import Larkspur
import LarkspurTesting
import XCTest

// sample: XCTest
final class UserTests: XCTestCase {
    private var server: LoopbackServer!
    private var manager: SessionManager!

    override func setUpWithError() throws {
        server = try LoopbackServer()
        manager = SessionManager(baseURL: server.baseURL)
    }

    override func tearDown() {
        server.stop()
    }

    func testNamesAreRead() async throws {
        server.route("/users", .json(#"["Ada"]"#))
        server.expect(.get("/users"), times: 1)

        let names = try await manager.get("users").value(as: [String].self)

        XCTAssertEqual(names, ["Ada"])
        try server.verify()
    }
}
// end
