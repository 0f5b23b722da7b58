// Mistakes that a stranger makes, and the words in which the compiler has to answer. Not part of any target.

// mistake: no type
// says: value of type 'JSONValue' has no member 'name'
let user = try await manager.get("users/1").value()
print(user.name)

// mistake: a type that is not Decodable
// says: requires that 'Point' conform to 'Decodable'
struct Point: Sendable {
    var x: Int
}
let point = try await manager.get("points/1").value(as: Point.self)

// mistake: an instance in place of a type
// says: cannot convert value of type 'String' to expected argument type
let name = try await manager.get("users/1").value(as: "User")

// mistake: no await
// says: 'async' property access in a function that does not support concurrency
print(try manager.get("users/1").string)

// mistake: no try
// says: call can throw but is not marked with 'try'
let user = await manager.get("users/1").value(as: User.self)

// mistake: a closure for a response
// says: expects 2 arguments, but 1 was used in closure body
manager.get("users/1") { response in
    print(response)
}

// mistake: a closure for the response of a POST
// says: expects 2 arguments, but 1 was used in closure body
manager.post("users", parameters: ["name": "Ada"]) { response in
    print(response)
}

// mistake: a capture that is not Sendable
// says: capture of 'counter' with non-Sendable type 'Counter' in a '@Sendable' closure
final class Counter {
    var count = 0
}
func count(_ counter: Counter) {
    manager.get("users/1") { _, _ in counter.count += 1 }
}

// mistake: a variable that changes
// says: mutation of captured var 'count' in concurrently-executing code
func countAll() {
    var count = 0
    manager.get("users/1") { _, _ in count += 1 }
    print(count)
}

// mistake: a wrong key path
// says: has no member 'timeout'
manager.requestSettings.timeout = 10

// mistake: a body of any values
// says: type 'Any' cannot conform to 'Encodable'
let fields: [String: Any] = ["name": "Ada", "age": 36]
_ = try await manager.post("users", body: .json(fields)).data

// mistake: a body that is not Encodable
// says: argument type 'Point' does not conform to expected type 'Encodable'
struct Point {
    var x: Int
}
_ = try await manager.post("points", body: .json(Point(x: 1))).data

// mistake: a body that is not Sendable
// says: type 'Point' does not conform to the 'Sendable' protocol
final class Point: Encodable {
    var x = 1
}
_ = try await manager.post("points", body: .json(Point())).data

// mistake: a value in place of a body
// says: cannot convert value of type 'User' to expected argument type 'RequestBody'
_ = try await manager.post("users", body: User(name: "Ada")).data

// mistake: a file in place of a body
// says: cannot convert value of type 'URL' to expected argument type 'RequestBody'
_ = try await manager.upload("portraits", from: file).data

// mistake: a file in place of a destination
// says: cannot convert value of type 'URL' to expected argument type 'DownloadDestination'
let report = try await manager.download("report.pdf", to: file).file

// mistake: AFNetworking's closure for progress
// says: extra argument 'progress' in call
manager.get("users/1", parameters: nil, progress: nil, success: { _, _ in }, failure: nil)

// mistake: Alamofire's responseDecodable of a manager
// says: cannot find 'AF' in scope
AF.request("https://api.example.com/users/1").responseDecodable(of: User.self) { print($0) }

// mistake: Alamofire's serializingDecodable
// says: value of type 'DataTask' has no member 'serializingDecodable'
let user = try await manager.get("users/1").serializingDecodable(User.self).value

// mistake: Alamofire's encoder of parameters
// says: cannot convert value of type 'User' to expected argument type 'Parameters'
_ = try await manager.post("users", parameters: User(name: "Ada")).data

// mistake: a type without its label
// says: missing argument label 'as:' | cannot conform to 'ResponseSerializer'
let user = try await manager.get("users/1").value(User.self)

// mistake: a serializer of a value
// says: missing argument label 'as:'
let text = try await manager.get("notes").value(.string)

// mistake: an optional URL
// says: must be unwrapped
let user = try await manager.get(URL(string: "https://example.com")).value(as: User.self)

// mistake: an optional in a path
// says: a value in a path is a text, a number, a Boolean value, a UUID, or has such a raw value
func user(_ id: String?) async throws {
    _ = try await manager.get(.path("users/\(id)")).data
}

// mistake: a variable in place of a path
// says: cannot convert value of type 'String' to expected argument type 'PathTarget'
let place = "users/1"
_ = try await manager.get(.path(place)).data
