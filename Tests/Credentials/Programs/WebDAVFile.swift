// Stores a file on a WebDAV server, and loads it again (Digest authentication).
//
//     WEBDAV_PASSWORD=… WebDAVFile URL USER FILE
//
// The server's first response is a 401 with a challenge. The engine answers it, and the password is not sent.

import Larkspur

let arguments = CommandLine.arguments
guard arguments.count == 4, let password = ProcessInfo.processInfo.environment["WEBDAV_PASSWORD"] else {
    print("usage: WEBDAV_PASSWORD=… WebDAVFile URL USER FILE")
    exit(64)
}
let (url, user, file) = (arguments[1], arguments[2], URL(fileURLWithPath: arguments[3]))

let recorder = HARRecorder()
let manager = SessionManager()
manager.observers = [ConsoleLogger(level: .content), recorder]

var status: Int32 = 0
do {
    let upload = manager.upload(url, from: .file(file), method: .put)
    let response = await upload.authenticate(username: user, password: password).response()
    if let error = response.error { throw error }
    print("PUT", response.statusCode ?? 0)
    let copy = try await manager.get(url).authenticate(username: user, password: password).data
    print(try copy == Data(contentsOf: file) ? "The copy is the same." : "The copy differs.")
} catch let error as LarkspurError {
    print("failed: \(error.label), \(error.statusCode ?? 0), \(error.message)")
    status = 1
}
try recorder.write(to: URL(fileURLWithPath: "calls.har"))
exit(status)
