import Alamofire
import Foundation

let configuration = URLSessionConfiguration.af.default
configuration.httpMaximumConnectionsPerHost = 3
configuration.timeoutIntervalForResource = 30
let session = Session(configuration: configuration)

await withTaskGroup { group in
    for id in 1...10 {
        group.addTask {
            let request = session.request("https://api.example.com/v1/reports/\(id)")
            let response = await request.validate().serializingData().response
            print(id, response.data?.count ?? 0, response.error?.localizedDescription ?? "complete")
        }
    }
}
