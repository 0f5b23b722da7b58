import Alamofire
import Foundation

let request = AF.upload(
    multipartFormData: { form in
        form.append(URL(fileURLWithPath: "portrait.jpg"), withName: "portrait")
        form.append(Data("for the front page".utf8), withName: "note")
    },
    to: "https://api.example.com/v1/portraits"
)
let upload = request.validate().serializingString()
for await progress in request.uploadProgress() { print(progress.completedUnitCount, "of", progress.totalUnitCount) }
print(try await upload.value)
