import Larkspur

/// The samples of `Docs/Uploads.md`, each between two markers; what they print is noted.
struct UploadSamples: Sendable {
    let manager: SessionManager
    let url: URL
    let file: URL
    let folder: URL
    let output = Recorder<String>()

    private func print(_ item: Any) { output.record("\(item)") }

    func resumable() async {
        // sample: resumable upload
        let upload = ResumableUpload.tus(metadata: ["filename": "disk.iso"])
        let response = await manager.upload("files", from: .file(file), resumable: upload).response()
        print(response.error?.label ?? "uploaded")
        // end
    }

    func continuedUpload(store: URL) async throws {
        // sample: resumable upload in another process
        var upload = ResumableUpload.ietf
        upload.didCreate = { resumption in
            try? JSONEncoder().encode(resumption).write(to: store)
        }
        if let stored = try? Data(contentsOf: store) {
            upload.resumption = try JSONDecoder().decode(UploadResumption.self, from: stored)
        }
        let response = await manager.upload("files", from: .file(file), resumable: upload).response()
        if response.error == nil { try? FileManager.default.removeItem(at: store) }
        // end
    }

    func form() async throws {
        // sample: multipart form
        let form = RequestBody.multipart { form in
            try form.append(file: file, name: "portrait")
            try form.append(data: Data("a,b".utf8), name: "table", fileName: "table.csv")
            form.append(text: "for the front page", name: "note")
        }
        let text = try await manager.post("portraits", parameters: ["author": "Ada"], body: form)
            .uploadProgress { progress in
                print("\(progress.completedUnitCount) of \(progress.totalUnitCount)")
            }
            .string
        print(text)
        // end
    }

    func decoded() {
        // sample: multipart form with a decoded response
        struct Portrait: Decodable, Sendable {
            let url: String
        }

        let form = RequestBody.multipart { form in
            try form.append(file: file, name: "portrait", fileName: "ada.jpg", mimeType: "image/jpeg")
        }
        manager.post("portraits", body: form, as: Portrait.self) { _, portrait in
            print(portrait.url)
        }
        // end
    }

    func streams(content: Data, input: sending InputStream) throws -> MultipartFormData {
        // sample: parts from streams
        var form = MultipartFormData()
        try form.append(length: Int64(content.count), name: "log", fileName: "app.log") {
            InputStream(data: content)
        }
        try form.append(stream: input, length: 5, name: "once")
        // end
        return form
    }

    func headers() throws -> MultipartFormData {
        // sample: parts with headers of their own
        var form = MultipartFormData()
        try form.append(
            data: Data("{}".utf8),
            name: "metadata",
            fileName: "metadata.json",
            headers: ["X-Revision": "3"]
        )
        try form.append(
            headers: ["Content-Disposition": "form-data; name=\"raw\"", "Content-Language": "en"],
            body: Data("text".utf8)
        )
        // end
        return form
    }

    func throttled() {
        // sample: throttled form
        let form = RequestBody.multipart { form in
            form.bytesPerSecond = 500_000
            try form.append(file: file, name: "backup")
        }
        manager.post("backups", body: form) { _, _ in print("sent") }
        // end
    }

    func written() throws {
        // sample: form written to a file
        let body = folder.appendingPathComponent("form")
        let request = try manager.requestBuilder.makeMultipartRequest(url: url, writingTo: body) { form in
            try form.append(file: file, name: "portrait")
        }
        manager.uploadTask(with: request, from: .file(body)) { response in
            print(response.error?.label ?? "uploaded")
        }.resume()
        // end
    }

    func built() throws {
        // sample: request with a multipart form
        let request = try manager.requestBuilder.makeMultipartRequest(.patch, url: url) { form in
            form.append(text: "Ada", name: "author")
        }
        manager.uploadTask(with: request) { response in
            print(response.error?.label ?? "uploaded")
        }.resume()
        // end
    }
}
