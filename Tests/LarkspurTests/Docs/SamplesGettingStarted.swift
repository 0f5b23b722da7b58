import Larkspur
import LarkspurXML

/// The samples of `Docs/GettingStarted.md`, `Docs/Requests.md` and `Docs/Responses.md`, each between two markers; their
/// output is recorded.
struct GettingStartedSamples: Sendable {
    let manager: SessionManager
    let output = Recorder<String>()

    func print(_ items: Any...) {
        output.record(items.map { "\($0)" }.joined(separator: " "))
    }

    func queues() {
        // sample: queues
        let images = SessionManager(
            baseURL: "https://images.example.com",
            responseSerializer: .data,
            completionQueue: DispatchQueue(label: "com.example.images")
        )
        let accounts = SessionManager(
            baseURL: "https://accounts.example.com",
            requestSerializer: .json,
            completionQueue: .main
        )
        // end
        print([images.description, accounts.description])
    }

    // MARK: Requests

    func firstRequest() {
        // sample: first request
        manager.get("users") { task, object in
            print(object ?? "no content")
        } failure: { task, error in
            print(error)
        }
        // end
    }

    func encodableParameters() {
        // sample: encodable parameters
        struct Search: Encodable {
            var text: String
            var page = 1
        }

        manager.get("search", parameters: .encodable(Search(text: "ada lovelace"))) { _, object in
            print(object ?? "no content")
        }
        // end
    }

    func parameterEncoding() {
        // sample: parameter encoding
        manager.post("search", parameters: ["q": "ada"], options: CallOptions(parameterEncoding: .query)) { _, object in
            print(object ?? "no content")
        }
        // end
    }

    func queryStyles() {
        // sample: query styles
        manager.requestSettings.queryEncoder.arrayStyle = .noBrackets
        manager.requestSettings.queryEncoder.booleanStyle = .literal
        // end
    }

    func typedResponse() {
        // sample: typed response
        nonisolated struct User: Decodable, Sendable {
            let id: Int
            let name: String
        }

        manager.get("users/1", as: User.self) { _, user in
            print(user.name)
        } failure: { _, error in
            print(error)
        }
        // end
    }

    func serializers() {
        // sample: serializers
        manager.get("report", as: .string) { _, text in
            print(text)
        }
        manager.get("logo", as: .data) { _, data in
            print("\(data.count) bytes")
        }
        // end
    }

    func acceptableResponses() {
        // sample: acceptable responses
        var serializer = JSONResponseSerializer()
        serializer.acceptableContentTypes?.insert("text/html")
        serializer.acceptableStatusCodes = StatusCodes(200...299).union([404])
        manager.responseSerializer = serializer
        // end
    }

    func document() {
        // sample: document
        manager.get("news", as: .xmlDocument) { _, document in
            if let name = document?.rootElement()?.name { print(name) }
        } failure: { _, error in
            print(error)
        }
        // end
    }

    func names() async throws {
        // sample: values of a document
        let names = try await manager.get("people").value(as: .xmlDocument) { document in
            try document?.nodes(forXPath: "//name").compactMap(\.stringValue) ?? []
        }
        let settings = try await manager.get("settings").value(as: .propertyList) { object in
            object as? [String: String]
        }
        let root = await manager.get("feed").response(
            as: XMLDocumentResponseSerializer().map { $0?.rootElement()?.name }
        )
        print(names, settings?["theme"] ?? "none", root.value ?? "no root")
        // end
    }

    func jsonDictionary() {
        // sample: JSON of a dictionary
        manager.requestSerializer = .json
        manager.post("users", parameters: ["name": "Ada", "age": 36]) { _, object in
            print(object ?? "no content")
        }
        // end
    }

    func ownEncoder() {
        // sample: encoder of a call
        struct Rule: Encodable {
            var name: String
        }

        manager.put(
            "rules/1",
            parameters: ["dry": true],
            body: .encoded(Rule(name: "first"), by: PropertyListEncoder())
        ) { _, object in
            print(object ?? "no content")
        }
        // end
    }

    func coders() {
        // sample: coders
        manager.jsonDecoder.keyDecodingStrategy = .convertFromSnakeCase
        manager.jsonEncoder.keyEncodingStrategy = .convertToSnakeCase
        // end
    }

    func noContent() {
        // sample: no content
        manager.delete("users/1", as: Empty.self) { _, _ in
            print("deleted")
        }
        // end
    }

    func headers() {
        // sample: headers
        manager.headers["Accept"] = "application/json"
        manager.requestSettings.setAuthorization(bearerToken: "secret")
        manager.get("users", headers: ["X-Request-ID": "42"]) { _, object in
            print(object ?? "no content")
        }
        // end
    }

    func authorization() {
        // sample: authorization
        manager.requestSettings.setAuthorization(username: "ada", password: "secret")
        manager.requestSettings.clearAuthorization()
        // end
    }

    func requestSettings() {
        // sample: request settings
        manager.requestSettings.timeoutInterval = 10
        manager.requestSettings.cachePolicy = .reloadIgnoringLocalCacheData
        // end
    }
}

// sample: own serializer
struct LinesResponseSerializer: ResponseSerializer {
    var validation = ResponseValidation(acceptableContentTypes: ["text/plain", "text/csv"])

    func serialize(_ data: Data, response: URLResponse?) throws -> sending [String] {
        try StringResponseSerializer().serialize(data, response: response).split(separator: "\n").map(String.init)
    }
}

extension ResponseSerializer where Self == LinesResponseSerializer {
    static var lines: LinesResponseSerializer { LinesResponseSerializer() }
}
// end
