import HTTPSyntax
import Larkspur

/// The file of a session. Only its owner may read it.
///
/// Cookies and fields from an https session are never sent over http. A session with a name belongs to a host and a
/// scheme. A file that was used with https is refused for http.
struct SessionFile {
    let path: String
    /// Whether the request is encrypted.
    private let isSecure: Bool

    /// - Parameters:
    ///   - name: The name of a session, or a path with a slash.
    ///   - url: The URL of the request. For another host or scheme, the same name means another session.
    ///   - environment: The environment, which determines the folder for settings.
    init(_ name: String, url: URL, environment: [String: String]) throws(UsageError) {
        isSecure = ["https", "wss"].contains(url.scheme?.lowercased() ?? "")
        if name.holds("/") {
            path = UserPath.expanded(name, environment: environment)
            return
        }
        let isName =
            !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
        guard isName, name != ".", name != ".." else {
            throw UsageError("“\(name)” is no name of a session: use letters, digits, dots, dashes and underscores.")
        }
        let settings = SettingsFolder.path(in: environment)
        let host = (url.host ?? "localhost") + (url.port.map { "_\($0)" } ?? "")
        // An IPv6 address contains colons.
        let parts = host.utf8.split(omittingEmptySubsequences: false) { "/:".utf8.contains($0) }
        let folder = parts.map { String(Substring($0)) }.joined(separator: "_")
        path = "\(settings)/sessions/\(isSecure ? "https" : "http")_\(folder)/\(name).json"
    }

    /// Reads the session. If there is no file, returns an empty session.
    func read() throws(UsageError) -> SavedSession { try read(at: path) }

    /// - Parameter target: The path of the file, after links were followed or before.
    private func read(at target: String) throws(UsageError) -> SavedSession {
        guard let data = FileManager.default.contents(atPath: target) else {
            guard !FileManager.default.fileExists(atPath: target) else {
                throw UsageError("The session \(path) cannot be read.")
            }
            return SavedSession()
        }
        guard let session = try? JSONDecoder().decode(SavedSession.self, from: data) else {
            throw UsageError("The session \(path) is no session file.")
        }
        guard isSecure || !session.isSecure else {
            throw UsageError(
                "The session \(path) has been used with https, and what it keeps is not sent over http: use another one."
            )
        }
        return session
    }

    /// Adds the changes of a run to the file, which other runs may have changed in the meantime.
    ///
    /// The rules are those of ``SavedSession/merged(into:since:at:)``. Other processes see the old or the new session,
    /// but never an incomplete one. A symbolic link stays, and its target is replaced. Blocks the thread for at most
    /// five seconds, if another run is just writing. At the end of a run, no task needs the thread.
    /// - Parameters:
    ///   - session: The session at the end of the run.
    ///   - base: The session as the run has read it.
    ///   - host: The host for cookies without a domain.
    func write(_ session: SavedSession, since base: SavedSession, host: String) throws(UsageError) {
        try write { (target) throws(UsageError) in
            session.merged(into: try read(at: target).completed(for: host), since: base.stored(for: host))
        }
    }

    /// Replaces the session.
    func write(_ session: SavedSession) throws(UsageError) { try write { _ in session } }

    private func write(_ change: (String) throws(UsageError) -> SavedSession) throws(UsageError) {
        let folder = NSString(string: path).deletingLastPathComponent
        if !folder.isEmpty {
            // If this fails, creating the file fails too and reports it.
            try? FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        do {
            try PrivateFile.update(URL(fileURLWithPath: path)) { try encoded(change($0)) }
        } catch let error as UsageError {
            throw error
        } catch let error as POSIXError where error.code == .ETIMEDOUT {
            throw failure("other programs have been writing it for five seconds")
        } catch {
            throw failure(Sink.reason(of: error))
        }
    }

    private func encoded(_ session: SavedSession) throws(UsageError) -> Data {
        var session = session
        session.isSecure = isSecure
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(session) else {
            throw UsageError("The session \(path) cannot be encoded.")
        }
        return data + Data("\n".utf8)
    }

    private func failure(_ reason: String) -> UsageError {
        UsageError("The session \(path) cannot be written: \(reason).")
    }
}
