// The values that the code of the tables uses.

import Foundation
import Larkspur
import LarkspurActivity
import LarkspurImages
import LarkspurReachability
import LarkspurXML

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct User: Codable, Sendable {
    var name: String
}

/// A value that is compiled, and never read.
func value<Value>() -> Value { fatalError() }

var manager: SessionManager { value() }
var task: DataTask { value() }
var download: DownloadTask { value() }
var webSocket: WebSocketTask { value() }
var request: URLRequest { value() }
var response: DataResponse<User> { value() }
var error: LarkspurError { value() }
var notification: Notification { value() }
var context: RequestContext { value() }
var authenticator: OAuth2Authenticator { value() }
var credential: OAuth2Credential { value() }
var certificate: TLSCertificate { value() }
var policy: SecurityPolicy { value() }
var reachability: NetworkReachabilityManager { value() }
var images: ImageDownloader { value() }
var image: Image { value() }
var cache: AutoPurgingImageCache { value() }
var receipt: ImageDownloadReceipt { value() }
var user: User { value() }
var id: Int { value() }
var url: URL { value() }
var file: URL { value() }
var folder: URL { value() }
var data: Data { value() }
var resumeData: Data { value() }
var field: HTTPHeaders.Field { value() }
var fields: [String: String] { value() }
var show: SessionManager.SuccessHandler<Any?> { value() }
var report: SessionManager.FailureHandler { value() }

var headers: HTTPHeaders {
    get { value() }
    set {}
}
var form: MultipartFormData {
    get { value() }
    set {}
}
