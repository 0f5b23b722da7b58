import Alamofire
import Foundation

do {
    let report = AF.request("https://api.example.com/v1/report", interceptor: .retryPolicy(retryLimit: 4))
    print(try await report.validate().serializingString().value)
} catch {
    print(error.asAFError?.responseCode == 503 ? "The server is still busy." : error.localizedDescription)
}
