// Logs a user in on another device, reads a page of an API, and stores the login (OAuth 2, device authorization).
//
//     DeviceLogin ISSUER CLIENT URL FILE
//
// The program shows a code, and waits until the user has entered it. Ctrl-C ends the wait. StoredLogin uses the file.

import LarkspurCredentials

let arguments = CommandLine.arguments
guard arguments.count == 5, let api = URL(string: arguments[3]) else {
    print("usage: DeviceLogin ISSUER CLIENT URL FILE")
    exit(64)
}

let recorder = HARRecorder()
let manager = SessionManager()
manager.observers = [ConsoleLogger(level: .content), recorder]
manager.timeouts = Timeouts(total: .seconds(10))

let login = Task {
    let server = try await OAuth2Server(discovering: arguments[1], manager: manager)
    let client = OAuth2Client(arguments[2], server: server, manager: manager)
    let credential = try await client.authorizeDevice(scope: "notes") { code in
        print("Open \(code.verificationURL.absoluteString) and enter \(code.userCode)")
        // Without this, the text would wait in a buffer if the output is a pipe.
        fflush(nil)
    }
    // An authenticator could renew the login, so the old one would be stored.
    print(try await manager.get(api, headers: ["Authorization": "Bearer \(credential.accessToken)"]).string)
    return credential
}

// The dispatch source handles the signal, which would terminate the process otherwise.
signal(SIGINT, SIG_IGN)
let interruption = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
interruption.setEventHandler { login.cancel() }
interruption.resume()

var status: Int32 = 0
do {
    let content = try JSONEncoder().encode(try await login.value)
    let permissions = [FileAttributeKey.posixPermissions: 0o600]
    _ = FileManager.default.createFile(atPath: arguments[4], contents: content, attributes: permissions)
} catch let error as LarkspurError {
    print("failed: \(error.label), \(error.message)")
    if let failure = error.oauth2Failure { print("The server's reason: \(failure)") }
    status = 1
}
try recorder.write(to: URL(fileURLWithPath: "calls.har"))
exit(status)
