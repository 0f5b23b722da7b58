// Certificates need Apple's Security, which reads DER and PKCS #12.
import Alamofire
import Foundation

let authority = try Data(contentsOf: URL(fileURLWithPath: "company-ca.der"))
let archive = try Data(contentsOf: URL(fileURLWithPath: "client.p12"))
let passphrase = ProcessInfo.processInfo.environment["KEY_PASSPHRASE"] ?? ""
var items: CFArray?
SecPKCS12Import(archive as CFData, [kSecImportExportPassphrase: passphrase] as CFDictionary, &items)
guard let certificate = SecCertificateCreateWithData(nil, authority as CFData),
    let item = (items as? [[CFString: Any]])?.first?[kSecImportItemIdentity]
else { exit(1) }
// swift-format-ignore: NeverForceUnwrap
let identity = item as! SecIdentity

let configuration = URLSessionConfiguration.af.default
configuration.connectionProxyDictionary = [
    "HTTPSEnable": true, "HTTPSProxy": "proxy.example.com", "HTTPSPort": 3128,
]
let evaluator = PinnedCertificatesTrustEvaluator(certificates: [certificate], acceptSelfSignedCertificates: true)
let trust = ServerTrustManager(evaluators: ["internal.example.com": evaluator])
let session = Session(configuration: configuration, serverTrustManager: trust)
let credential = URLCredential(identity: identity, certificates: nil, persistence: .forSession)
let request = session.request("https://internal.example.com/status").authenticate(with: credential)
print(try await request.validate().serializingString().value)
