import Alamofire
import Foundation

let resumeFile = URL(fileURLWithPath: "disk.iso.resume")
let destination: DownloadRequest.Destination = { _, _ in (URL(fileURLWithPath: "disk.iso"), .removePreviousFile) }
let resumeData = try? Data(contentsOf: resumeFile)
let request =
    resumeData.map { AF.download(resumingWith: $0, to: destination) }
    ?? AF.download("https://downloads.example.com/disk.iso", to: destination)
let download = request.validate().serializingDownloadedFileURL()
for await progress in request.downloadProgress() { print(progress.completedUnitCount, "of", progress.totalUnitCount) }
let response = await download.response
switch response.result {
case .success(let file):
    print(file.path)
    try? FileManager.default.removeItem(at: resumeFile)
case .failure(let error):
    try response.resumeData?.write(to: resumeFile, options: .atomic)
    print(error.localizedDescription)
}
