// Lists the buckets of a role, with temporary keys of STS (AWS Signature 4 with session tokens).
//
//     AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… TemporaryKeys ENDPOINT REGION ROLE
//
// The keys of the environment sign the request for temporary keys, and the temporary keys sign the rest.

import LarkspurCredentials
import LarkspurXML

let arguments = CommandLine.arguments
guard arguments.count == 4, let endpoint = URL(string: arguments[1]) else {
    print("usage: TemporaryKeys ENDPOINT REGION ROLE")
    exit(64)
}
let (region, role) = (arguments[2], arguments[3])

let recorder = HARRecorder()
let tokens = SessionManager()
// The response has the temporary keys, so it is neither logged nor recorded.
tokens.interceptors.attempt = [.awsSignature(service: "sts", region: region, for: endpoint)]

@Sendable func temporaryKeys() async throws -> AWSCredentials {
    let answer = tokens.post(
        endpoint,
        parameters: ["Action": "AssumeRole", "Version": "2011-06-15", "RoleArn": role, "RoleSessionName": "list"]
    )
    return try await answer.value(as: .xmlDocument) { document in
        func text(_ name: String) throws -> String {
            try document?.nodes(forXPath: "//*[local-name() = '\(name)']").first?.stringValue ?? ""
        }
        return AWSCredentials(
            accessKeyID: try text("AccessKeyId"),
            secretAccessKey: try text("SecretAccessKey"),
            sessionToken: try text("SessionToken")
        )
    }
}

let manager = SessionManager()
manager.observers = [ConsoleLogger(level: .content), recorder]
// A program that runs for hours would remember the keys until they expire.
manager.interceptors.attempt = [
    .awsSignature(service: "s3", region: region, credentials: .closure { try await temporaryKeys() }, for: endpoint)
]

var status: Int32 = 0
do {
    let names = try await manager.get(endpoint).value(as: .xmlDocument) { document in
        try document?.nodes(forXPath: "//*[local-name() = 'Name']").compactMap(\.stringValue) ?? []
    }
    for name in names { print("bucket: \(name)") }
} catch {
    print("failed: \(error.label), \(error.statusCode ?? 0), \(error.message)")
    status = 1
}
try recorder.write(to: URL(fileURLWithPath: "calls.har"))
exit(status)
