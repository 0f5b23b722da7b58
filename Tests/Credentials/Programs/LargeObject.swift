// Stores a file in S3, loads it again, and makes a link for people without keys (AWS Signature 4, presigned URLs).
//
//     AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… LargeObject ENDPOINT REGION BUCKET FILE SHA256
//
// The file never lies in memory: each of its chunks is signed while it is sent, and the download is verified on the
// disk.

import LarkspurCredentials

let arguments = CommandLine.arguments
guard arguments.count == 6, let endpoint = URL(string: arguments[1]) else {
    print("usage: LargeObject ENDPOINT REGION BUCKET FILE SHA256")
    exit(64)
}
let file = URL(fileURLWithPath: arguments[4])
let object = "\(arguments[1])/\(arguments[3])/\(file.lastPathComponent)"
let copy = URL(fileURLWithPath: "copy of \(file.lastPathComponent)")
let digest = DigestVerification.expecting(.sha256(arguments[5]))

let recorder = HARRecorder()
let manager = SessionManager()
manager.observers = [ConsoleLogger(level: .content), recorder]
let signature = AWSSignature(service: "s3", region: arguments[2], payload: .streaming, for: endpoint)
manager.interceptors.attempt = [signature]
// This manager has no keys.
let visitor = SessionManager()
visitor.observers = manager.observers

var status: Int32 = 0
do {
    _ = try await manager.put("\(arguments[1])/\(arguments[3])").data
    _ = try await manager.upload(object, from: .file(file), method: .put).data
    _ = try await manager.download(object, to: .file(copy, replacing: true)).verifyDigest(digest).file
    print("The copy has the digest.")
    if let url = URL(string: object) {
        let link = try await signature.presignedURL(for: URLRequest(url: url), lifetime: .seconds(60))
        _ = try await visitor.download(link, to: .file(copy, replacing: true)).verifyDigest(digest).file
        print("The link works.")
        let changed = link.absoluteString.replacingOccurrences(of: "X-Amz-Expires=60", with: "X-Amz-Expires=600")
        print("A changed link has the status", await visitor.get(changed).response().statusCode ?? 0)
    }
} catch let error as LarkspurError {
    print("failed: \(error.label), \(error.statusCode ?? 0), \(error.message)")
    status = 1
}
try recorder.write(to: URL(fileURLWithPath: "calls.har"))
exit(status)
