import Foundation
import Larkspur

/// A process that uses files together with other processes. `Tests/SharedStores/kill.py` kills it at each system call.
///
///     StoreWorker increment FOLDER COUNT
///     StoreWorker write KIND FOLDER NUMBER
///     StoreWorker next KIND FOLDER NUMBER
@main
struct StoreWorker {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.count == 3, arguments[0] == "increment", let count = Int(arguments[2]) {
            return try await increment(URL(fileURLWithPath: arguments[1]), count)
        }
        if arguments.count == 4, ["write", "next"].contains(arguments[0]), let kind = Kind(rawValue: arguments[1]) {
            let folder = URL(fileURLWithPath: arguments[2])
            if arguments[0] == "next" { print(try await kind.read(in: folder)) }
            try await kind.write(arguments[3], in: folder)
            if arguments[0] == "next" { print(try await kind.read(in: folder)) }
            return
        }
        FileHandle.standardError.write(Data("StoreWorker: wrong arguments\n".utf8))
        exit(64)
    }

    /// Adds 1 to a value `count` times, and records the number of a lease as often.
    private static func increment(_ folder: URL, _ count: Int) async throws {
        let store = try FolderStore(folder: folder, waitLimit: .seconds(120))
        for _ in 0..<count {
            try await change("count", in: store) { "\((Int($0) ?? 0) + 1)" }
            let lease = try await acquire("lease", in: store)
            try await change("numbers", in: store) { "\($0) \(lease.number)" }
            try await store.release(lease)
        }
    }

    private static func acquire(_ key: String, in store: FolderStore) async throws -> SharedLease {
        while true {
            if case .acquired(let lease) = try await store.acquireLease(for: key, duration: .seconds(60)) {
                return lease
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    fileprivate static func change(
        _ key: String,
        in store: FolderStore,
        _ change: (String) -> String
    ) async throws {
        while true {
            let last = try await store.value(for: key)
            let next = Data(change(String(decoding: last?.data ?? Data(), as: UTF8.self)).utf8)
            if try await store.replaceValue(for: key, version: last?.version, with: next, lifetime: nil) { return }
        }
    }
}

/// The kinds of files that are written.
private enum Kind: String {
    case value, lease, bucket, hsts, cookies

    private static let tokens = SharedBucket(interval: .milliseconds(1), capacity: .seconds(1))

    /// Writes a state that has a number.
    func write(_ number: String, in folder: URL) async throws {
        switch self {
        case .value:
            // Long enough for several blocks of a disk, so that a part of it would be noticed.
            let text = String(repeating: number + " ", count: 5000)
            try await StoreWorker.change("key", in: FolderStore(cleaning: folder)) { _ in text }
        case .lease:
            let store = try FolderStore(cleaning: folder)
            guard case .acquired(let lease) = try await store.acquireLease(for: "key", duration: .milliseconds(1))
            else { return }
            _ = try await store.renew(lease, duration: .milliseconds(1))
            try await store.release(lease)
        case .bucket:
            _ = try await FolderStore(cleaning: folder).takeToken(for: "key", from: Self.tokens, within: .seconds(1))
        case .hsts:
            let store = try HSTSStore(file: folder.appendingPathComponent("hsts.txt"))
            store.insert(HSTSStore.Host(name: "h\(number).test", expirationDate: .distantFuture))
            try store.save()
        case .cookies:
            let (file, storage) = try cookies(in: folder)
            let properties: [HTTPCookiePropertyKey: Any] = [
                .name: "c\(number)", .value: "1", .domain: "a.test", .path: "/",
            ]
            HTTPCookie(properties: properties).map(storage.setCookie)
            try await file.save()
        }
    }

    /// Returns the state as a list of words, on one line.
    func read(in folder: URL) async throws -> String {
        switch self {
        case .value:
            let value = try await FolderStore(folder: folder).value(for: "key")
            return String(decoding: value?.data ?? Data(), as: UTF8.self)
        case .lease:
            let store = try FolderStore(folder: folder)
            while true {
                switch try await store.acquireLease(for: "key", duration: .zero) {
                case .acquired(let lease): return "\(lease.number)"
                case .held: try await Task.sleep(for: .milliseconds(1))
                }
            }
        case .bucket:
            return "\(try await FolderStore(folder: folder).takeToken(for: "key", from: Self.tokens, within: .zero))"
        case .hsts:
            return try HSTSStore(file: folder.appendingPathComponent("hsts.txt")).hosts.map(\.name)
                .joined(separator: " ")
        case .cookies:
            return try cookies(in: folder).storage.cookies?.map(\.name).sorted().joined(separator: " ") ?? ""
        }
    }

    private func cookies(in folder: URL) throws -> (file: CookieFile, storage: HTTPCookieStorage) {
        let storage = URLSessionConfiguration.ephemeral.httpCookieStorage ?? .shared
        return (try CookieFile(folder.appendingPathComponent("cookies.txt"), of: storage), storage)
    }
}
