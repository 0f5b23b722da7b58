// Reads pages of an API with a token of the program's own (OAuth 2, client credentials).
//
//     CLIENT_SECRET=… ClientCredentials ISSUER CLIENT URL…
//     CLIENT_KEY=key.pem ClientCredentials ISSUER CLIENT URL…      a key of P-256, in place of a secret
//
// The endpoints come from the server's metadata. The first call obtains the token, and all calls share it. A log goes
// to standard error, and an archive of the calls to calls.har.

import LarkspurCredentials

let arguments = CommandLine.arguments
let environment = ProcessInfo.processInfo.environment
guard arguments.count > 3, let api = URL(string: arguments[3]) else {
    print("usage: CLIENT_SECRET=… ClientCredentials ISSUER CLIENT URL…")
    exit(64)
}

let recorder = HARRecorder()
let manager = SessionManager()
manager.observers = [ConsoleLogger(level: .content), recorder]
manager.timeouts = Timeouts(total: .seconds(10))

var status: Int32 = 0
do {
    let server = try await OAuth2Server(discovering: arguments[1], manager: manager)
    var client = OAuth2Client(
        arguments[2],
        secret: environment["CLIENT_SECRET"],
        server: server,
        manager: manager
    )
    if environment["SECRET_IN_CONTENT"] != nil { client.authentication = .content }
    if let file = environment["CLIENT_KEY"] {
        let key = try SigningKey(contentsOf: URL(fileURLWithPath: file))
        client.authentication = try .privateKeyJWT(key, with: .ecdsaP256SHA256)
    }
    manager.interceptors.call = [.clientCredentials(client, for: api)]
    for url in arguments[3...] {
        print(try await manager.get(url).string)
    }
} catch let error as LarkspurError {
    print("failed: \(error.label), \(error.message)")
    if let failure = error.oauth2Failure { print("The server's reason: \(failure)") }
    status = 1
} catch {
    print("failed: \(error)")
    status = 1
}
try recorder.write(to: URL(fileURLWithPath: "calls.har"))
exit(status)
