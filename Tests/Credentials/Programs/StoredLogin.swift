// Reads pages of an API with the login that DeviceLogin or BrowserLogin has stored, and renews it (OAuth 2, refresh).
//
//     StoredLogin ISSUER CLIENT FILE URL…
//
// The server may accept each refresh token only once. So the new tokens are stored before they are used.

import LarkspurCredentials

let arguments = CommandLine.arguments
guard arguments.count > 4, let api = URL(string: arguments[4]) else {
    print("usage: StoredLogin ISSUER CLIENT FILE URL…")
    exit(64)
}
let file = URL(fileURLWithPath: arguments[3])

let recorder = HARRecorder()
let manager = SessionManager()
manager.observers = [ConsoleLogger(level: .content), recorder]
manager.timeouts = Timeouts(total: .seconds(10))

var status: Int32 = 0
do {
    let credential = try JSONDecoder().decode(OAuth2Credential.self, from: Data(contentsOf: file))
    let server = try await OAuth2Server(discovering: arguments[1], manager: manager)
    var authenticator = OAuth2Client(arguments[2], server: server, manager: manager).authenticator()
    authenticator.didRefresh = { credential in
        print("The login was renewed.")
        guard let content = try? JSONEncoder().encode(credential) else { return }
        // The file keeps its permissions.
        let handle = try? FileHandle(forWritingTo: file)
        try? handle?.truncate(atOffset: 0)
        try? handle?.write(contentsOf: content)
        try? handle?.close()
    }
    manager.interceptors.call = [.authentication(credential, authenticator: authenticator, for: api)]
    // The calls run at once, and share one renewal.
    try await withThrowingTaskGroup(of: String.self) { group in
        for url in arguments[4...] { group.addTask { try await manager.get(url).string } }
        for try await text in group { print(text) }
    }
} catch let error as LarkspurError {
    print("failed: \(error.label), \(error.message)")
    if let failure = error.oauth2Failure { print("The server's reason: \(failure)") }
    status = 1
}
try recorder.write(to: URL(fileURLWithPath: "calls.har"))
exit(status)
