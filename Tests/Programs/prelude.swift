// The declarations that the samples of the guides take for granted, each below those that it needs.

let baseURL = URL(string: "https://api.example.com/v1")!

let manager = SessionManager(baseURL: baseURL)

struct User: Codable, Sendable {
    var name: String
}

let ids = [1, 2, 3]

let folder = FileManager.default.temporaryDirectory

let file = folder.appendingPathComponent("ada.jpg")

let reachability = NetworkReachabilityManager.shared

let tokens = SessionManager(baseURL: "https://login.example.com")

let certificate = folder.appendingPathComponent("root.pem")

let host = "proxy.example.com"

let port = 3128
