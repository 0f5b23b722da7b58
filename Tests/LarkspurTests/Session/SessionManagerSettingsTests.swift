import HTTPSyntax
import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Settings that can be written down", .timeLimit(.minutes(5)))
struct SessionManagerSettingsTests {
    private func roundTrip(_ settings: SessionManagerSettings) throws -> SessionManagerSettings {
        try JSONDecoder().decode(SessionManagerSettings.self, from: JSONEncoder().encode(settings))
    }

    private func text(_ settings: SessionManagerSettings) throws -> String {
        String(decoding: try JSONEncoder().encode(settings), as: UTF8.self)
    }

    /// Has nothing at its default that can be written down.
    private func makeUnusualManager() throws -> SessionManager {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 7
        configuration.timeoutIntervalForResource = 70
        configuration.httpMaximumConnectionsPerHost = 3
        configuration.httpAdditionalHeaders = ["X-Client": "session"]
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieAcceptPolicy = .never
        configuration.allowsCellularAccess = false
        configuration.httpShouldSetCookies = false
        var policy = SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [Data([1, 2, 3])])
        policy.validatesDomainName = false
        policy.allowInvalidCertificates = true
        var requests = RequestSettings()
        requests.headers = ["X-Request": "request"]
        requests.methodsEncodingParametersInURI = [.get]
        requests.queryEncoder.arrayStyle = .noBrackets
        requests.queryEncoder.booleanStyle = .literal
        requests.queryEncoder.dataStyle = .hexadecimal
        requests.queryEncoder.dateStyle = .millisecondsSince1970
        requests.queryEncoder.keyStyle = .snakeCase
        requests.queryEncoder.keyPathStyle = .dots
        requests.queryEncoder.nullStyle = .drop
        requests.queryEncoder.spaceStyle = .plusReplaced
        requests.queryEncoder.sortsKeys = false
        requests.queryEncoder.includesNilProperties = true
        requests.stringEncoding = .isoLatin1
        requests.timeoutInterval = 5
        requests.cachePolicy = .returnCacheDataElseLoad
        requests.networkServiceType = .background
        requests.allowsCellularAccess = false
        requests.httpShouldHandleCookies = false
        requests.httpShouldUsePipelining = true
        var response = JSONResponseSerializer(readingOptions: [.fragmentsAllowed], removesKeysWithNullValues: true)
        response.acceptableStatusCodes = StatusCodes(200..<300).union([304, 404])
        response.acceptableContentTypes = ["application/*", "text/html"]
        let manager = try SessionManager(
            baseURL: URL(string: "https://example.com/v1"),
            configuration: configuration,
            transport: .foundation,
            securityPolicy: policy,
            requestSettings: requests,
            requestSerializer: JSONRequestSerializer(writingOptions: [.sortedKeys]),
            responseSerializer: response
        )
        manager.maximumContentSize = 1_000_000
        return manager
    }

    @Test("Settings come back from JSON as they were, and so does a manager that is made by them")
    func everything() throws {
        let settings = try makeUnusualManager().settings

        let decoded = try roundTrip(settings)
        #expect(decoded == settings)

        let manager = try SessionManager(settings: decoded, configuration: .ephemeral, transport: .foundation)
        #expect(try manager.settings == settings)
        #expect(manager.baseURL?.absoluteString == "https://example.com/v1/")
        #expect(manager.maximumContentSize == 1_000_000)
        #expect(manager.securityPolicy.pinnedCertificates == [Data([1, 2, 3])])
        #expect(manager.securityPolicy.pinningMode == .publicKey && manager.securityPolicy.allowInvalidCertificates)
        #expect(manager.configuration.timeoutIntervalForRequest == 7)
        #expect(manager.configuration.timeoutIntervalForResource == 70)
        #expect(manager.configuration.httpMaximumConnectionsPerHost == 3)
        #expect(manager.configuration.requestCachePolicy == .reloadIgnoringLocalCacheData)
        #expect(manager.configuration.httpCookieAcceptPolicy == .never)
        #expect(!manager.configuration.httpShouldSetCookies && !manager.configuration.allowsCellularAccess)
        #expect(manager.configuration.httpAdditionalHeaders?["X-Client"] as? String == "session")
    }

    @Test("A manager that is made by settings builds the same requests and reads responses the same way")
    func sameRequests() throws {
        let original = try makeUnusualManager()
        let manager = try SessionManager(settings: try roundTrip(original.settings), transport: .foundation)
        let url = try #require(URL(string: "https://example.com/v1/x"))
        let parameters = Parameters.dictionary([
            "userName": "a b", "list": [true, false], "date": Date(timeIntervalSince1970: 1), "nothing": NSNull(),
        ])

        for method in [HTTPMethod.get, .post, .delete] {
            let simple = method == .get ? parameters : .dictionary(["a": ["b": 1]])
            let requests = try [original, manager].map {
                try $0.requestBuilder.makeRequest(method, url: url, parameters: simple)
            }
            #expect(requests[0] == requests[1])
            #expect(requests[0].httpBody == requests[1].httpBody)
            #expect(requests[0].allHTTPHeaderFields == requests[1].allHTTPHeaderFields)
            #expect(requests[1].timeoutInterval == 5)
        }
        #expect(manager.responseSerializer.validation == original.responseSerializer.validation)
        let serializer = try #require(manager.responseSerializer as? JSONResponseSerializer)
        #expect(serializer.removesKeysWithNullValues && serializer.readingOptions == [.fragmentsAllowed])
    }

    private static let responseSerializers: [any ResponseSerializer] = [
        JSONResponseSerializer(),
        PropertyListResponseSerializer(readOptions: [.mutableContainers], acceptableFormats: [.binary]),
        XMLParserResponseSerializer(), XMLDocumentResponseSerializer(options: [.nodePreserveWhitespace]),
        StringResponseSerializer(encoding: .utf16, fallbackEncoding: .ascii),
        DataResponseSerializer(validation: .anything),
        CompoundResponseSerializer([JSONResponseSerializer(), CompoundResponseSerializer([StringResponseSerializer()])]
        ),
        AnyResponseSerializer(DataResponseSerializer(validation: ResponseValidation(acceptableStatusCodes: []))),
    ]

    @Test("Every response serializer of Larkspur's comes back", arguments: responseSerializers.indices)
    func responseSerializer(_ index: Int) throws {
        let serializer = Self.responseSerializers[index]
        let settings = try SessionManager(responseSerializer: serializer).settings

        let manager = try SessionManager(settings: try roundTrip(settings))

        #expect(try manager.settings == settings)
        #expect(manager.responseSerializer.validation == serializer.validation)
        if !(serializer is AnyResponseSerializer) {
            #expect(type(of: manager.responseSerializer) == type(of: serializer))
        }
    }

    @Test("Every request serializer of Larkspur's comes back")
    func requestSerializers() throws {
        for serializer in [
            HTTPRequestSerializer(), JSONRequestSerializer(), PropertyListRequestSerializer(format: .binary),
        ] as [any RequestSerializer] {
            let settings = try SessionManager(requestSerializer: serializer).settings
            let manager = try SessionManager(settings: try roundTrip(settings))
            #expect(type(of: manager.requestSerializer) == type(of: serializer))
            #expect(try manager.settings == settings)
        }
    }

    @Test("No secret is written down")
    func secrets() throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["cookie": "hidden1", "X-Plain": "shown", "X-Api-Key": "hidden2"]
        let manager = SessionManager(
            baseURL: URL(string: "https://ada:hidden3@example.com/v1"),
            configuration: configuration
        )
        manager.requestSettings.setAuthorization(bearerToken: "hidden4")
        manager.headers["Proxy-Authorization"] = "hidden5"
        manager.headers["X-Other"] = "shown"

        let text = try text(manager.settings)

        #expect(!text.contains("hidden") && !text.contains("ada"))
        #expect(text.contains("X-Plain") && text.contains("X-Other"))
        let copy = try SessionManager(settings: try manager.settings)
        #expect(copy.baseURL?.host == "example.com" && copy.baseURL?.user == nil)
        #expect(copy.headers["Authorization"] == nil)
    }

    @Test("The secrets of the configuration at hand stay")
    func secretsAtHand() throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["Authorization": "Bearer mine"]

        let manager = try SessionManager(settings: makeUnusualManager().settings, configuration: configuration)

        #expect(manager.configuration.httpAdditionalHeaders?["Authorization"] as? String == "Bearer mine")
        #expect(manager.configuration.httpAdditionalHeaders?["X-Client"] as? String == "session")
        #expect(configuration.timeoutIntervalForRequest == 60)
    }

    @Test("What a later version adds is ignored, and what is absent has its default")
    func otherVersions() throws {
        let later = #"""
            {"securityPolicy": {"pinningMode": "none", "pinnedCertificates": [], "allowInvalidCertificates": false,
            "validatesDomainName": true, "later": 1}, "later": {"a": []}, "requestSerializer": {"kind": "json", "later": 2},
            "responseSerializer": {"kind": "string", "later": null}, "configuration": {"later": true}}
            """#
        let settings = try JSONDecoder().decode(SessionManagerSettings.self, from: Data(later.utf8))

        let manager = try SessionManager(settings: settings)

        #expect(manager.requestSerializer is JSONRequestSerializer)
        #expect(manager.responseSerializer is StringResponseSerializer)
        #expect(manager.baseURL == nil)
        #expect(manager.maximumContentSize == 1 << 30)
        #expect(manager.headers == .default)
        #expect(manager.configuration.timeoutIntervalForRequest == 60)
    }

    @Test(
        "What cannot be understood is an error and never a weaker manager",
        arguments: [
            "{}", #"{"securityPolicy": {"pinningMode": "later"}}"#, "[]", "1",
        ]
    )
    func malformed(_ text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(SessionManagerSettings.self, from: Data(text.utf8))
        }
    }

    @Test("Values that are not known are an error")
    func unknownValues() throws {
        let known = try SessionManager().settings
        let changes: [(inout SessionManagerSettings) -> Void] = [
            { $0.configuration?.cachePolicy = 99 },
            { $0.configuration?.networkServiceType = 99 },
            { $0.configuration?.cookieAcceptPolicy = 99 },
            { $0.requestSerializer?.cachePolicy = 99 },
            { $0.requestSerializer?.query?.array = "later" },
            {
                $0.requestSerializer?.kind = .propertyList
                $0.requestSerializer?.propertyListFormat = 99
            },
            { $0.responseSerializer?.statusCodes = [[300, 200]] },
            { $0.responseSerializer?.statusCodes = [[300]] },
            {
                $0.responseSerializer?.kind = .propertyList
                $0.responseSerializer?.formats = [99]
            },
        ]
        for change in changes {
            var settings = known
            change(&settings)
            let error = #expect(throws: LarkspurError.self) { try SessionManager(settings: settings) }
            #expect(error?.code == .invalidSettings)
        }
    }

    @Test("Pins without an https base URL are refused, as by the other initialisers")
    func pins() throws {
        var settings = try makeUnusualManager().settings
        settings.baseURL = URL(string: "http://example.com")

        let error = #expect(throws: LarkspurError.self) { try SessionManager(settings: settings) }

        #expect(error?.code == .invalidSecurityPolicy)
    }

    private struct OwnResponseSerializer: ResponseSerializer {
        var validation = ResponseValidation()
        func serialize(_ data: Data, response: URLResponse?) -> sending Int { data.count }
    }

    private struct OwnRequestSerializer: RequestSerializer {
        func encodeBody(_ parameters: Parameters?, into request: inout URLRequest, with settings: RequestSettings) {}
    }

    @Test("What is of the caller's own is an error that names it")
    func ownSerializers() throws {
        func check(_ word: String, _ change: (SessionManager) -> Void) {
            let manager = SessionManager()
            change(manager)
            let error = #expect(throws: LarkspurError.self) { try manager.settings }
            #expect(error?.code == .invalidSettings)
            #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
        }
        check("OwnResponseSerializer") { $0.responseSerializer = OwnResponseSerializer() }
        check("OwnResponseSerializer") { $0.responseSerializer = CompoundResponseSerializer([OwnResponseSerializer()]) }
        check("DecodableResponseSerializer") { $0.responseSerializer = DecodableResponseSerializer<Int>() }
        check("OwnRequestSerializer") { $0.requestSerializer = OwnRequestSerializer() }
        check("encoder") { $0.requestSerializer = JSONRequestSerializer(encoder: JSONEncoder()) }
        check("encoder") { $0.requestSerializer = JSONRequestSerializer { _ in Data() } }
        check("encoder") {
            var serializer = JSONRequestSerializer()
            serializer.encode = { _ in Data() }
            $0.requestSerializer = serializer
        }
        check("custom query") { $0.requestSettings.customQuery = { _, _ in "" } }
        check("array style") { $0.requestSettings.queryEncoder.arrayStyle = .custom { key, _ in key } }
        check("date style") { $0.requestSettings.queryEncoder.dateStyle = .formatted(DateFormatter()) }
        check("date style") { $0.requestSettings.queryEncoder.dateStyle = .custom { _ in "" } }
        check("data style") { $0.requestSettings.queryEncoder.dataStyle = .custom { _ in "" } }
        check("key style") { $0.requestSettings.queryEncoder.keyStyle = .custom { $0 } }
        check("key path style") { $0.requestSettings.queryEncoder.keyPathStyle = .custom { $0 + $1 } }
        check("null style") { $0.requestSettings.queryEncoder.nullStyle = .custom { $0 } }
    }

    @Test("A configuration that makes no task is an error, and stays one in a copy")
    func malformedConfiguration() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Bad": "a\r\nb"]
        let manager = SessionManager(configuration: configuration, transport: .foundation)

        let error = #expect(throws: LarkspurError.self) { try manager.settings }
        #expect(error?.code == .invalidHeaderField)
        #expect(try await manager.copy().call(.get, "http://127.0.0.1:1/").error?.code == .invalidHeaderField)
    }

    @Test("A timeout that never comes is written down as one that is as good as that")
    func infiniteTimeout() throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = .infinity
        configuration.timeoutIntervalForResource = .nan
        let original = SessionManager(configuration: configuration, transport: .foundation)
        original.requestSettings.timeoutInterval = .infinity

        let settings = try roundTrip(original.settings)
        let manager = try SessionManager(settings: settings, configuration: .ephemeral, transport: .foundation)

        #expect(manager.configuration.timeoutIntervalForRequest == .greatestFiniteMagnitude)
        #expect(
            manager.configuration.timeoutIntervalForResource
                == URLSessionConfiguration.ephemeral.timeoutIntervalForResource
        )
        #expect(manager.requestSettings.timeoutInterval == .greatestFiniteMagnitude)
    }
}
