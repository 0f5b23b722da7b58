// Downloads the blobs of an image from a registry, as many at once as the engine allows, each verified by its digest.
//
//     REGISTRY_PASSWORD=… RegistryPull REGISTRY REALM USER REPOSITORY [DIGEST…]
//
// Without digests, the blobs are those of the manifest "latest". The registry refuses the first requests, and names the
// realm, the server of tokens. All calls share one token. The password is sent to the realm of the user alone.

import LarkspurCredentials

let arguments = CommandLine.arguments
guard arguments.count > 4, let password = ProcessInfo.processInfo.environment["REGISTRY_PASSWORD"],
    let registry = URL(string: arguments[1])
else {
    print("usage: REGISTRY_PASSWORD=… RegistryPull REGISTRY REALM USER REPOSITORY [DIGEST…]")
    exit(64)
}
let (realm, repository) = (arguments[2], arguments[4])

let recorder = HARRecorder()
let tokens = SessionManager()
tokens.requestSettings.setAuthorization(username: arguments[3], password: password)
let manager = SessionManager(baseURL: registry)
tokens.observers = [ConsoleLogger(level: .content), recorder]
manager.observers = tokens.observers
manager.interceptors.call = [
    .bearerChallenge(for: registry) { challenge in
        guard challenge["realm"] == realm else { return nil }
        let scope = ["service": challenge["service"], "scope": challenge["scope"]]
        return try await tokens.get(realm, parameters: .encodable(scope)).value()["token"].string
    }
]

var status: Int32 = 0
do {
    var digests = Array(arguments[5...])
    if digests.isEmpty {
        let type = ["Accept": "application/vnd.docker.distribution.manifest.v2+json"]
        let manifest = manager.get("v2/\(repository)/manifests/latest", headers: HTTPHeaders(type))
        digests = try await manifest.value()["layers"].array?.compactMap { $0["digest"].string } ?? []
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
        for digest in digests {
            let name = String(digest.dropFirst("sha256:".count))
            let file = DownloadDestination.file(URL(fileURLWithPath: name), replacing: true)
            let blob = manager.download("v2/\(repository)/blobs/\(digest)", to: file)
            group.addTask { _ = try await blob.verifyDigest(.expecting(.sha256(name))).file }
        }
        try await group.waitForAll()
    }
    print("\(digests.count) blobs")
} catch let error as LarkspurError {
    print("failed: \(error.label), \(error.statusCode ?? 0), \(error.message)")
    status = 1
}
try recorder.write(to: URL(fileURLWithPath: "calls.har"))
exit(status)
