import Larkspur
import LarkspurRedis

/// Sends a request with a shared credential for each line of the standard input, and prints its result.
struct RefreshScenario {
    private let manager: SessionManager

    init(_ arguments: Arguments, _ redis: RedisStore) {
        let store: any SharedStore = arguments["die"] == "acquired" ? EndingStore(base: redis) : redis
        let session = CurlURLSession(configuration: .ephemeral)
        let authenticator = OAuth2Authenticator(
            tokenEndpoint: arguments.server.appendingPathComponent("token"),
            clientID: "worker"
        ) { request in try await session.data(for: request) }
        manager = SessionManager(baseURL: arguments.server, configuration: .ephemeral)
        manager.interceptors.call = [
            .authentication(
                OAuth2Credential(accessToken: "access-0", refreshToken: "refresh-0"),
                authenticator: authenticator,
                sharedIn: store,
                key: arguments["key"],
                for: arguments.server
            )
        ]
    }

    func run() async throws {
        printLine("ready")
        while readLine() != nil {
            let response = await manager.get("api").response()
            let error = response.error.map { "\($0.label) \($0)".replacingOccurrences(of: "\n", with: " ") }
            printLine(error ?? "\(response.statusCode ?? 0)")
        }
    }
}

/// A store that ends the process when it has acquired a lease, as a crash does.
private struct EndingStore: SharedStore {
    let base: RedisStore

    var description: String { base.description }

    func value(for key: String) async throws -> SharedValue? { try await base.value(for: key) }

    func replaceValue(
        for key: String,
        version: SharedValue.Version?,
        with data: Data?,
        lifetime: Duration?
    ) async throws -> Bool {
        try await base.replaceValue(for: key, version: version, with: data, lifetime: lifetime)
    }

    func takeToken(for key: String, from bucket: SharedBucket, within limit: Duration) async throws -> Duration {
        try await base.takeToken(for: key, from: bucket, within: limit)
    }

    func acquireLease(for key: String, duration: Duration) async throws -> SharedLease.Attempt {
        let attempt = try await base.acquireLease(for: key, duration: duration)
        if case .acquired = attempt { kill(getpid(), SIGKILL) }
        return attempt
    }

    func renew(_ lease: SharedLease, duration: Duration) async throws -> Bool {
        try await base.renew(lease, duration: duration)
    }

    func release(_ lease: SharedLease) async throws { try await base.release(lease) }
}
