internal import CLoopbackTLS
public import Foundation
internal import HTTPSyntax

extension LoopbackServer {
    /// The certificate of a server with TLS, and its key.
    ///
    ///     let server = try LoopbackServer(tls: .selfSigned())
    ///
    /// The server uses the system's OpenSSL, which is found at run time. It supports TLS 1.2 and 1.3, and only
    /// HTTP/1.1.
    public struct TLS: Sendable {
        enum Source: Sendable {
            case selfSigned(hosts: [String], validFrom: Date, validUntil: Date)
            case pem(certificate: Data, key: Data)
        }

        let source: Source

        /// Returns a self-signed certificate with a new key. The server creates both when it starts. Clients must be
        /// configured to trust the certificate (``LoopbackServer/certificate``).
        /// - Parameters:
        ///   - hosts: The host names and addresses in the certificate. Default: `localhost`, `127.0.0.1` and `::1`.
        ///   - validFrom: The beginning of the certificate's validity. Default: one day ago.
        ///   - validUntil: The end of the certificate's validity. Default: in thirty days.
        public static func selfSigned(
            hosts: [String] = ["localhost", "127.0.0.1", "::1"],
            validFrom: Date = Date(timeIntervalSinceNow: -86_400),
            validUntil: Date = Date(timeIntervalSinceNow: 30 * 86_400)
        ) -> TLS {
            TLS(source: .selfSigned(hosts: hosts, validFrom: validFrom, validUntil: validUntil))
        }

        /// Returns a certificate and its key from data, such as the files of a fixture.
        /// - Parameters:
        ///   - certificate: The certificate in PEM. If there are several, the first one is used.
        ///   - key: The private key in PEM, without a passphrase.
        public static func identity(certificate: Data, key: Data) -> TLS {
            TLS(source: .pem(certificate: certificate, key: key))
        }
    }

    /// The certificate that clients have to trust; nil for a server without TLS.
    ///
    ///     let certificate = try TLSCertificate(server.certificate?.der ?? Data())
    public var certificate: Certificate? { identity.map { Certificate(der: $0.certificate) } }

    /// A certificate of a server.
    public struct Certificate: Sendable, Hashable {
        /// The certificate in DER.
        public let der: Data

        /// The certificate in PEM.
        public var pem: String {
            let options: Data.Base64EncodingOptions = [.lineLength64Characters, .endLineWithLineFeed]
            return "-----BEGIN CERTIFICATE-----\n\(der.base64EncodedString(options: options))\n"
                + "-----END CERTIFICATE-----\n"
        }
    }
}

/// A certificate and its key, in the memory of OpenSSL.
final class ServerIdentity: @unchecked Sendable {  // Safe: OpenSSL counts references to it under locks of its own.
    fileprivate let pointer: OpaquePointer
    /// The certificate in DER.
    let certificate: Data

    init(_ tls: LoopbackServer.TLS) throws {
        if let reason = loopback_tls_unavailability() {
            throw LoopbackServer.StartError("The server cannot use TLS: \(String(cString: reason)).")
        }
        var message = [CChar](repeating: 0, count: 256)
        let made: OpaquePointer?
        switch tls.source {
        case .selfSigned(let hosts, let validFrom, let validUntil):
            let names = try Self.names(of: hosts)
            made = loopback_tls_identity_make(
                names,
                Self.seconds(validFrom),
                Self.seconds(validUntil),
                &message,
                message.count
            )
        case .pem(let certificate, let key):
            let size = message.count
            made = certificate.withUnsafeBytes { certificate in
                key.withUnsafeBytes { key in
                    guard let first = certificate.baseAddress, let second = key.baseAddress else { return nil }
                    return loopback_tls_identity_read(first, certificate.count, second, key.count, &message, size)
                }
            }
        }
        guard let made else {
            let bytes = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            let reason = bytes.isEmpty ? "there are no data" : String(decoding: bytes, as: UTF8.self)
            throw LoopbackServer.StartError("The server's certificate cannot be used: \(reason).")
        }
        pointer = made
        var bytes: UnsafePointer<UInt8>?
        let count = loopback_tls_identity_certificate(made, &bytes)
        certificate = bytes.map { Data(bytes: $0, count: count) } ?? Data()
    }

    deinit { loopback_tls_identity_free(pointer) }

    /// Returns hosts in OpenSSL's notation. A host must not contain a comma, which would begin another name.
    private static func names(of hosts: [String]) throws -> String {
        guard !hosts.isEmpty else { throw LoopbackServer.StartError("A certificate is made out to at least one host.") }
        return try hosts.map { host in
            let isName = host.utf8.allSatisfy { $0.isDigit || $0.asLowercase &- 0x61 < 26 || "-_.*:".utf8.contains($0) }
            guard isName, !host.isEmpty, host.utf8.count <= 253 else {
                throw LoopbackServer.StartError("A certificate cannot be made out to the host “\(host.onOneLine)”.")
            }
            let isAddress = host.contains(":") || host.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
            return (isAddress ? "IP:" : "DNS:") + host
        }.joined(separator: ",")
    }

    /// Returns the number of seconds from now to a date, at most 100 years.
    private static func seconds(_ date: Date) -> Int {
        let century = 3_153_600_000.0
        let seconds = date.timeIntervalSinceNow
        return seconds.isNaN ? 0 : Int(min(max(seconds, -century), century))
    }
}

/// The TLS of one connection. It reads and writes bytes in memory. Every method may be called on any thread.
final class TLSStream: @unchecked Sendable {  // Safe: the lock is held during each use of the pointer.
    /// The error for a client that does not speak TLS, or refuses the certificate.
    struct Failure: Error {
        let description: String
    }

    enum Reading {
        case bytes([UInt8])
        case needsInput
        case end
    }

    private let pointer: OpaquePointer
    private let lock = NSLock()

    init(_ identity: ServerIdentity) throws {
        guard let pointer = loopback_tls_connection_make(identity.pointer) else {
            throw Failure(description: "There is no memory for a TLS connection.")
        }
        self.pointer = pointer
    }

    deinit { loopback_tls_connection_free(pointer) }

    /// Takes bytes that were received from the client.
    func feed(_ bytes: [UInt8]) throws {
        let isTaken = lock.withLock { loopback_tls_feed(pointer, bytes, bytes.count) }
        if !isTaken { throw Failure(description: "There is no memory for the client's bytes.") }
    }

    /// Reads decrypted bytes of the client, up to a maximum number.
    func read(atMost count: Int) throws -> Reading {
        var result = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            guard let address = buffer.baseAddress else { return }
            result = lock.withLock { loopback_tls_read(pointer, address, count) }
            initialized = max(0, result)
        }
        switch result {
        case 1...: return .bytes(bytes)
        case LOOPBACK_TLS_NEEDS_INPUT: return .needsInput
        case LOOPBACK_TLS_END: return .end
        default: throw failure
        }
    }

    /// Encrypts bytes for the client.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard let address = bytes.baseAddress else { return }
        let isWritten = lock.withLock { loopback_tls_write(pointer, address, bytes.count) }
        if !isWritten { throw failure }
    }

    /// Ends the server's side of the stream.
    func close() { lock.withLock { loopback_tls_close(pointer) } }

    /// Removes and returns the bytes to send to the client.
    func takeOutput() -> Data {
        var output = Data()
        lock.withLock {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = loopback_tls_drain(pointer, &buffer, buffer.count)
                if count == 0 { return }
                output.append(contentsOf: buffer.prefix(count))
            }
        }
        return output
    }

    private var failure: Failure {
        var message = [CChar](repeating: 0, count: 256)
        let size = message.count
        lock.withLock { loopback_tls_failure(pointer, &message, size) }
        let bytes = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return Failure(description: String(decoding: bytes, as: UTF8.self))
    }
}
