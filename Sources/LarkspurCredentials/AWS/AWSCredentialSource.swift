internal import HTTPSyntax

/// A source of ``AWSCredentials``. It is asked before each attempt, so that changed credentials take effect.
public struct AWSCredentialSource: Sendable {
    private let read: @Sendable () async throws -> AWSCredentials

    private init(_ read: @escaping @Sendable () async throws -> AWSCredentials) { self.read = read }

    /// Returns the present credentials.
    /// - Throws: `LarkspurError` with the code `credentialRefreshFailed` if there are none; otherwise the error of
    ///   the closure that was passed to ``closure(_:)``.
    public func credentials() async throws -> AWSCredentials { try await read() }

    /// The source that always has the same credentials.
    public static func fixed(_ credentials: AWSCredentials) -> Self { Self { credentials } }

    /// The source that calls a closure.
    /// - Parameter read: A closure that returns the present credentials. It is called before each attempt, on an
    ///   arbitrary thread, and concurrently for different requests. If it throws an error, the request is not sent.
    public static func closure(_ read: @escaping @Sendable () async throws -> AWSCredentials) -> Self { Self(read) }

    /// The environment variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
    public static var environment: Self { environment { ProcessInfo.processInfo.environment } }

    /// The credentials file of the user, in which each profile is a section with the keys `aws_access_key_id`,
    /// `aws_secret_access_key` and `aws_session_token`. It is a regular file with at most 1 MiB.
    /// - Parameters:
    ///   - file: The file. Default: nil, for the file that the environment variable `AWS_SHARED_CREDENTIALS_FILE`
    ///     names, or else `~/.aws/credentials`.
    ///   - profile: The name of the profile. Default: nil, for the profile that the environment variable `AWS_PROFILE`
    ///     names, or else `default`.
    public static func file(_ file: URL? = nil, profile: String? = nil) -> Self {
        Self.file(file, profile: profile) { ProcessInfo.processInfo.environment }
    }

    /// The environment variables, or the credentials file if `AWS_ACCESS_KEY_ID` is not set.
    public static var standard: Self { standard { ProcessInfo.processInfo.environment } }

    // MARK: With another environment

    typealias Environment = @Sendable () -> [String: String]

    static func environment(_ environment: @escaping Environment) -> Self {
        Self {
            let variables = environment()
            guard let id = variables.nonempty("AWS_ACCESS_KEY_ID") else { throw error("AWS_ACCESS_KEY_ID is not set") }
            guard let secret = variables.nonempty("AWS_SECRET_ACCESS_KEY") else {
                throw error("AWS_SECRET_ACCESS_KEY is not set")
            }
            return AWSCredentials(
                accessKeyID: id,
                secretAccessKey: secret,
                sessionToken: variables.nonempty("AWS_SESSION_TOKEN")
            )
        }
    }

    static func file(_ file: URL?, profile: String?, _ environment: @escaping Environment) -> Self {
        Self {
            let variables = environment()
            let path = file?.path ?? variables.nonempty("AWS_SHARED_CREDENTIALS_FILE") ?? "~/.aws/credentials"
            let profile = profile ?? variables.nonempty("AWS_PROFILE") ?? "default"
            let home = variables.nonempty("HOME") ?? NSHomeDirectory()
            let place = path.begins(with: "~/") ? home + path.dropFirst() : path
            let text: String
            do throws(SmallFile.Defect) {
                text = String(decoding: try SmallFile(place).content, as: UTF8.self)
            } catch {
                throw Self.error("\(place.onOneLine): \(error.sentence.withoutFullStop)")
            }
            do throws(AWSCredentialsFile.Defect) {
                return try AWSCredentialsFile(text).credentials(of: profile)
            } catch {
                throw Self.error("the file \(place.onOneLine) \(error.clause)")
            }
        }
    }

    static func standard(_ environment: @escaping Environment) -> Self {
        let (variables, file) = (Self.environment(environment), Self.file(nil, profile: nil, environment))
        return Self {
            let source = environment().nonempty("AWS_ACCESS_KEY_ID") == nil ? file : variables
            return try await source.credentials()
        }
    }

    private static func error(_ reason: String) -> LarkspurError {
        LarkspurError(.credentialRefreshFailed, "There are no AWS credentials: \(reason).")
    }
}

extension [String: String] {
    /// Returns a value; nil if it is missing or empty.
    fileprivate func nonempty(_ name: String) -> String? { self[name].flatMap { $0.isEmpty ? nil : $0 } }
}

/// The credentials file of AWS: sections with the names of profiles, and lines with keys and values.
struct AWSCredentialsFile: Sendable {
    /// The reason why a profile has no credentials.
    enum Defect: Error, Equatable {
        case missingProfile(String)
        case missingKey(String, profile: String)

        /// The reason, as the end of a sentence whose subject is the file. It contains no value of the file.
        var clause: String {
            switch self {
            case .missingProfile(let profile): "has no profile “\(profile.onOneLine)”"
            case .missingKey(let key, let profile): "has no \(key) in the profile “\(profile.onOneLine)”"
            }
        }
    }

    private var profiles: [TextKey: [TextKey: String]] = [:]

    /// Reads a file. Lines that are neither sections nor settings are passed over. Sections with the same name are one
    /// section. If a key occurs twice in it, the later value is used.
    init(_ text: String) {
        var profile: TextKey?
        for bytes in text.utf8.split(whereSeparator: { $0 == .lineFeed || $0 == .carriageReturn }) {
            let isNested = bytes.first?.isBlank == true
            let line = String(Substring(bytes)).trimmingBlanks
            if line.isEmpty || line.begins(with: "#") || line.begins(with: ";") { continue }
            if line.begins(with: "[") {
                profile = line.cut(at: "]").map { TextKey(String($0.before.dropFirst()).trimmingBlanks) }
                if let profile { profiles[profile] = profiles[profile] ?? [:] }
            } else if let profile, !isNested, let (key, value) = line.cut(at: "=") {
                profiles[profile]?[TextKey(key.trimmingBlanks.inLowercase)] = value.trimmingBlanks
            }
        }
    }

    /// Returns the credentials of a profile.
    func credentials(of profile: String) throws(Defect) -> AWSCredentials {
        guard let settings = profiles[TextKey(profile)] else { throw .missingProfile(profile) }
        func value(_ key: String) -> String? { settings[TextKey(key)].flatMap { $0.isEmpty ? nil : $0 } }
        guard let id = value("aws_access_key_id") else { throw .missingKey("aws_access_key_id", profile: profile) }
        guard let secret = value("aws_secret_access_key") else {
            throw .missingKey("aws_secret_access_key", profile: profile)
        }
        return AWSCredentials(accessKeyID: id, secretAccessKey: secret, sessionToken: value("aws_session_token"))
    }
}
