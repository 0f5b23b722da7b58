import Foundation
import Testing

@testable import LarkspurTesting

@Suite struct ConnectionTests {
    @Test("One connection serves consecutive requests, and counts once")
    func keepAlive() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        for number in 1...3 {
            try client.get("/anything/\(number)")
            #expect(try client.response().status == 200)
        }
        #expect(server.acceptedConnectionCount == 1)
        #expect(server.openConnectionCount == 1)
        #expect(server.requests.map(\.path) == ["/anything/1", "/anything/2", "/anything/3"])
        #expect(server.requests.map(\.connection) == [1, 1, 1])
        server.stop()
    }

    @Test("Pipelined requests get their responses in order")
    func pipelining() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.send(
            (1...20).map { "GET /anything/\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined()
        )
        for number in 1...20 {
            #expect(try client.response().json()["url"] as? String == "http://x/anything/\(number)")
        }
    }

    @Test("Connection: close and HTTP/1.0 close the connection")
    func close() throws {
        let server = try LoopbackServer()
        for request in ["GET /get HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GET /get HTTP/1.0\r\n\r\n"] {
            let client = try RawClient(server)
            try client.send(request)
            #expect(try client.response().fields["Connection"] == "close")
            #expect(try client.readToEnd().isEmpty)
            client.disconnect()
        }
        try server.waitForOpenConnections(0)
        #expect(server.requests.map(\.version) == ["HTTP/1.1", "HTTP/1.0"])
    }

    @Test("For HTTP/1.0, a stream has no chunks, and ends with the connection")
    func chunkedToOldClient() throws {
        let server = try LoopbackServer()
        server.route("/", .chunked([Data("ab".utf8), Data("cd".utf8)]))
        let client = try RawClient(server)
        try client.send("GET / HTTP/1.0\r\n\r\n")
        let response = try client.response()
        #expect(response.fields["Transfer-Encoding"] == nil)
        #expect(response.text == "abcd")
    }

    @Test("A chunked request arrives complete, with its trailers")
    func chunkedRequest() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.get("/post", method: "POST", headers: "Transfer-Encoding: chunked\r\n")
        try client.send("4\r\nabcd\r\n2\r\nef\r\n0\r\nX-Sum: 6\r\n\r\n")
        #expect(try client.response().json()["data"] as? String == "abcdef")
        #expect(server.requests[0].body == Data("abcdef".utf8))
        #expect(server.requests[0].trailers == ["X-Sum": "6"])
    }

    @Test("A large body of any bytes is received and sent back unchanged")
    func largeBodies() throws {
        let server = try LoopbackServer()
        server.route("/") { .data($0.body) }
        let data = Data((0..<3_000_000).lazy.map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) })
        let client = try RawClient(server)
        try client.get("/", method: "PUT", headers: "Content-Length: \(data.count)\r\n")
        try client.send(data)
        #expect(try client.response().body == data)
    }

    @Test("A client with Expect gets 100 Continue before it sends its body")
    func expectContinue() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.get("/post", method: "POST", headers: "Expect: 100-continue\r\nContent-Length: 2\r\n")
        #expect(try client.response().statusLine == "HTTP/1.1 100 Continue")
        try client.send("ok")
        #expect(try client.response().json()["data"] as? String == "ok")
    }

    @Test("A response can refuse an announced body, and then closes the connection")
    func refusedBody() throws {
        let server = try LoopbackServer()
        var refusal = LoopbackServer.Response.text("no", status: 417)
        refusal.requestBody = .refuse
        server.route("/", refusal)
        let client = try RawClient(server)
        try client.get("/", method: "POST", headers: "Expect: 100-continue\r\nContent-Length: 2\r\n")
        let response = try client.response()
        #expect(response.status == 417)
        #expect(response.fields["Connection"] == "close")
        #expect(try client.readToEnd().isEmpty)
        #expect(server.requests.map(\.body) == [Data()])
    }

    @Test("A refusal reaches a client that still sends its large body")
    func refusedLargeBody() throws {
        let server = try LoopbackServer()
        var refusal = LoopbackServer.Response.text("no", status: 413)
        refusal.requestBody = .refuse
        server.route("/", refusal)
        let client = try RawClient(server)
        let data = Data(count: 1_000_000)
        try client.get("/", method: "POST", headers: "Content-Length: \(data.count)\r\n")
        try client.send(data)
        #expect(try client.response().status == 413)
    }

    @Test("A server that ignores the expectation reads the body without 100 Continue")
    func ignoredExpectation() throws {
        let server = try LoopbackServer()
        var response = LoopbackServer.Response.text("fine")
        response.requestBody = .readWithoutContinue
        server.route("/", response)
        let client = try RawClient(server)
        try client.get("/", method: "POST", headers: "Expect: 100-continue\r\nContent-Length: 2\r\n")
        try client.send("ok")
        #expect(try client.response().text == "fine")
        #expect(server.requests[0].text == "ok")
    }

    @Test("HEAD has the length of GET, and the connection stays open")
    func head() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.get("/range/26", method: "HEAD")
        #expect(try client.response(toHead: true).fields["Content-Length"] == "26")
        try client.get("/range/26")
        #expect(try client.response().text == "abcdefghijklmnopqrstuvwxyz")
    }

    @Test(
        "A malformed request gets an error response, and the connection is closed",
        arguments: [
            ("nonsense\r\n\r\n", 0, 400), ("GET / HTTP/1.1\r\n\r\n", 0, 400), ("GET / HTTP/3.0\r\n\r\n", 0, 505),
            ("\u{16}\u{3}\u{1}\u{2}\0\u{1}", 0, 400), ("GET /", 1_000_000, 414),
            ("GET / HTTP/1.1\r\nA: ", 1_000_000, 431),
            ("POST /get HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nboo\r\n", 0, 400),
        ]
    )
    func malformed(text: String, padding: Int, status: Int) throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.send(text + String(repeating: "x", count: padding))
        let response = try client.response()
        #expect(response.status == status)
        #expect(response.fields["Connection"] == "close")
        #expect(try client.readToEnd().isEmpty)
        #expect(server.requests.isEmpty)
        client.disconnect()
        try server.waitForOpenConnections(0)
    }

    @Test(
        "A client may disconnect at any point of its request",
        arguments: ["", "GE", "GET / HTTP/1.1\r\nHost:", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc"]
    )
    func earlyLeave(text: String) throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.send(text)
        client.disconnect()
        try server.waitForConnection()
        try server.waitForOpenConnections(0)
        #expect(server.requests.isEmpty)
        #expect(try server.answer("/get").status == 200)
    }

    @Test("A client that disconnects during a large response does not affect other clients")
    func leaveDuringResponse() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.get("/bytes/20000000")
        _ = try client.read(count: 1_000)
        client.disconnect()
        try server.waitForOpenConnections(0)
        #expect(try server.answer("/get").status == 200)
    }

    @Test("A client that has ended its side of the connection still gets its response")
    func halfClose() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.get("/bytes/10")
        client.endSending()
        #expect(try client.response().body.count == 10)
    }

    @Test("250 connections are served at the same time")
    func manyConnections() throws {
        let server = try LoopbackServer()
        let gate = LoopbackServer.Gate()
        server.route("/held", LoopbackServer.Response.text("late").held(until: gate))
        let clients = try (0..<250).map { _ in try RawClient(server) }
        for client in clients { try client.get("/held") }
        try server.waitForRequests(250)
        #expect(server.openConnectionCount == 250)
        gate.open()
        for client in clients { #expect(try client.response().text == "late") }
        #expect(Set(server.requests.map(\.connection)).count == 250)
        for client in clients { client.disconnect() }
        try server.waitForOpenConnections(0)
    }
}

extension LoopbackServer {
    /// Blocks until a first connection was accepted, so that none being open means that it was closed.
    func waitForConnection() throws {
        let gate = journal.gate { $0.acceptedConnections > 0 }
        try #require(gate.wait())
    }
}
