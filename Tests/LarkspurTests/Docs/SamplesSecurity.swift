#if canImport(FoundationNetworking)
import Larkspur

/// The samples of `Docs/Security.md`, each between two markers; what they print is noted.
struct SecuritySamples: Sendable {
    let output = Recorder<String>()

    private func print(_ item: Any) { output.record("\(item)") }

    func roots(file: URL) throws -> SessionManager {
        // sample: roots of one's own
        var options = CurlURLSession.Options()
        options.tls.trustedRoots = .only(try TLSCertificate.certificates(contentsOf: file))

        let manager = SessionManager(transport: .curl(options))
        // end
        return manager
    }

    func hsts(file: URL) throws -> CurlURLSession.Options {
        // sample: hosts that require https
        var options = CurlURLSession.Options()
        options.hsts = try HSTSStore(file: file)
        // end
        return options
    }

    func preloadedHosts() -> HSTSStore {
        // sample: a host of one's own
        let store = HSTSStore()
        store.insert(
            HSTSStore.Host(name: "example.com", includesSubdomains: true, expirationDate: .distantFuture)
        )
        // end
        return store
    }

    func commonNames() -> CurlURLSession.Options {
        // sample: common names
        var options = CurlURLSession.Options()
        options.tls.acceptsCommonNames = true
        // end
        return options
    }

    func pins(certificateFile: URL) throws -> CurlURLSession {
        // sample: pins of a host
        let current = PublicKeyPin(certificate: try TLSCertificate(contentsOf: certificateFile))
        let backup = try PublicKeyPin(sha256: "xqDFoXHXh8jP+wM80yIs6PsaRmHbGGM8xdiuhC4RRf4=")

        var options = CurlURLSession.Options()
        options.tls.pins = [
            try HostPins("example.com", includesSubdomains: true, pins: [current], backupPins: [backup])
        ]
        let session = CurlURLSession(configuration: .default, options: options)
        // end
        return session
    }

    func computing(certificateFile: URL, publicKeyFile: URL) throws {
        // sample: computing a pin
        print(PublicKeyPin(certificate: try TLSCertificate(contentsOf: certificateFile)))
        print(try PublicKeyPin(publicKeyContentsOf: publicKeyFile))
        // end
    }

    func policy(folder: URL) throws -> SessionManager {
        // sample: security policy
        let policy = SecurityPolicy(
            pinningMode: .publicKey,
            pinnedCertificates: try SecurityPolicy.certificates(in: folder)
        )
        let manager = try SessionManager(
            baseURL: "https://api.example.com/v1",
            securityPolicy: policy
        )
        // end
        return manager
    }

    func identity(certificateFile: URL, keyFile: URL) throws -> CurlURLSession.Options {
        // sample: client certificate
        var options = CurlURLSession.Options()
        options.tls.clientIdentity = try .pem(
            certificateFile: certificateFile,
            keyFile: keyFile,
            passphrase: "a passphrase"
        )
        // end
        return options
    }

    func keyLog(file: URL) -> CurlURLSession.Options {
        // sample: key log
        var options = CurlURLSession.Options()
        options.tls.keyLog = file
        // end
        return options
    }

    func reason(_ session: URLSession, _ url: URL) async throws {
        // sample: reason of a failure of TLS
        do {
            _ = try await session.data(from: url)
        } catch let error as URLError {
            switch error.tlsFailure?.reason {
            case .pinMismatch?: print("the server's keys: \(error.tlsFailure?.presentedPins ?? [])")
            case .certificateExpired?: print("expired")
            case .insecureRequest?: print("not over plain http")
            case let reason?: print("TLS: \(reason)")
            case nil: print("something else: \(error.localizedDescription)")
            }
        }
        // end
    }
}
#endif
