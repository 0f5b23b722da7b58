// Logs a user in with the browser, reads a page of an API, and stores the login (OAuth 2, authorization code with
// PKCE).
//
//     BROWSER=/usr/bin/firefox BrowserLogin ISSUER CLIENT URL FILE
//
// The program listens on 127.0.0.1 until the browser returns to it. StoredLogin uses the file.

import LarkspurCredentials

let arguments = CommandLine.arguments
guard arguments.count == 5, let api = URL(string: arguments[3]) else {
    print("usage: BrowserLogin ISSUER CLIENT URL FILE")
    exit(64)
}

let recorder = HARRecorder()
let manager = SessionManager()
manager.observers = [ConsoleLogger(level: .content), recorder]
manager.timeouts = Timeouts(total: .seconds(10))

var status: Int32 = 0
do {
    let server = try await OAuth2Server(discovering: arguments[1], manager: manager)
    let client = OAuth2Client(arguments[2], server: server, manager: manager)
    let credential = try await client.authorizeInBrowser(scope: "notes", timeLimit: .seconds(60)) { url in
        let browser = Process()
        let program = ProcessInfo.processInfo.environment["BROWSER"] ?? "/usr/bin/xdg-open"
        browser.executableURL = URL(fileURLWithPath: program)
        browser.arguments = [url.absoluteString]
        try browser.run()
    }
    // An authenticator could renew the login, so the old one would be stored.
    print(try await manager.get(api, headers: ["Authorization": "Bearer \(credential.accessToken)"]).string)
    let content = try JSONEncoder().encode(credential)
    let permissions = [FileAttributeKey.posixPermissions: 0o600]
    _ = FileManager.default.createFile(atPath: arguments[4], contents: content, attributes: permissions)
} catch let error as LarkspurError {
    print("failed: \(error.label), \(error.message)")
    if let failure = error.oauth2Failure { print("The server's reason: \(failure)") }
    status = 1
}
try recorder.write(to: URL(fileURLWithPath: "calls.har"))
exit(status)
