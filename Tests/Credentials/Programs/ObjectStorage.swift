// Stores objects in S3, and reads, lists and deletes them (AWS Signature 4).
//
//     AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… ObjectStorage ENDPOINT REGION BUCKET KEY…
//
// The keys of AWS come from the environment or ~/.aws/credentials. A key of an object is any text: in the URL, all of
// its characters but the unreserved ones and slashes are escaped.

import LarkspurCredentials
import LarkspurXML

let arguments = CommandLine.arguments
guard arguments.count > 4, let endpoint = URL(string: arguments[1]) else {
    print("usage: ObjectStorage ENDPOINT REGION BUCKET KEY…")
    exit(64)
}
let bucket = "\(arguments[1])/\(arguments[3])"
let unescaped = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")

let recorder = HARRecorder()
let manager = SessionManager()
manager.observers = [ConsoleLogger(level: .content), recorder]
manager.interceptors.attempt = [.awsSignature(service: "s3", region: arguments[2], for: endpoint)]

var status: Int32 = 0
do {
    _ = try await manager.put(bucket).data
    let urls = arguments[4...].map { "\(bucket)/\($0.addingPercentEncoding(withAllowedCharacters: unescaped) ?? "")" }
    for (key, url) in zip(arguments[4...], urls) {
        let content = "The content of “\(key)”"
        _ = try await manager.put(url, body: .data(Data(content.utf8), contentType: "text/plain")).data
        print(key, try await manager.get(url).string == content ? "is stored" : "differs")
    }
    let list = manager.get(bucket, parameters: ["list-type": 2, "prefix": ""])
    let names = try await list.value(as: .xmlDocument) { document in
        try document?.nodes(forXPath: "//*[local-name() = 'Key']").compactMap(\.stringValue) ?? []
    }
    for name in names { print("listed: \(name)") }
    for url in urls { _ = try await manager.delete(url).data }
} catch {
    print("failed: \(error.label), \(error.statusCode ?? 0), \(error.message)")
    status = 1
}
try recorder.write(to: URL(fileURLWithPath: "calls.har"))
exit(status)
