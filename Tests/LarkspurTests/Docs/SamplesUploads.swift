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

    func partOfFile() async {
        // sample: part of a file
        let response = await manager.put("disk.iso", body: .file(file, from: 4)).response()
        print(response.error?.label ?? "uploaded")
        // end
    }

    func sequence() async {
        // sample: body from a sequence
        let source = manager.get("disk.iso").chunks
        let response = await manager.put("copies/disk.iso", body: .sequence(source)).response()
        print(response.error?.label ?? "copied")
        // end
    }

    func sequenceMadeAnew() async {
        // sample: body from sequences that are made anew
        let body = RequestBody.sequence(making: { manager.get("disk.iso").chunks })
        let response = await manager.put("copies/disk.iso", body: body).response()
        print(response.error?.label ?? "copied")
        // end
    }

    func writer() async {
        // sample: body from a writer
        let body = RequestBody.writer(contentType: "text/csv") { writer in
            try await writer.write("number,square\n")
            for number in 1...1000 { try await writer.write("\(number),\(number * number)\n") }
        }
        let response = await manager.post("tables", body: body).response()
        print(response.error?.label ?? "sent")
        // end
    }

    func refusal() async {
        // sample: writer that notices an early response
        let body = RequestBody.writer { writer in
            do throws(LarkspurError) {
                while true { try await writer.write("a line of a log\n") }
            } catch {
                if error.code == .sendingEnded { print(error.message) }
                throw error
            }
        }
        let response = await manager.post("full", body: body).response()
        print(response.statusCode ?? 0)
        // end
    }

    func trailers() async {
        // sample: trailers of a request
        let body = RequestBody.writer(contentType: "text/csv", trailers: ["X-Row-Count"]) { writer in
            for number in 1...1000 { try await writer.write("\(number),\(number * number)\n") }
            try await writer.finish(["X-Row-Count": "1000"])
        }
        let response = await manager.post("tables", body: body).response()
        print(response.error?.label ?? "sent")
        // end
    }

    func resumableSequence(length: Int64) async {
        // sample: resumable upload of a sequence
        let body = RequestBody.sequence(
            length: length,
            fromOffset: { offset in
                let handle = try FileHandle(forReadingFrom: file)
                try handle.seek(toOffset: UInt64(offset))
                return AsyncThrowingStream<Data, any Error>(unfolding: { try handle.read(upToCount: 1 << 16) })
            }
        )
        let response = await manager.upload("files", from: body, resumable: .tus).response()
        print(response.error?.label ?? "uploaded")
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
            try form.append(file: file, name: "portrait", fileName: "ada.jpg", contentType: "image/jpeg")
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
        var form = MultipartFormData()
        try form.append(file: file, name: "portrait")
        let body = folder.appendingPathComponent("form")
        try form.write(to: body)
        manager.upload(url, from: .file(body, contentType: form.contentType)) { _, _ in
            print("uploaded")
        }
        // end
    }

    func built() throws {
        // sample: request with a multipart form
        let form = RequestBody.multipart { form in form.append(text: "Ada", name: "author") }
        let request = try manager.makeRequest(.patch, url, body: form)
        manager.uploadTask(with: request) { response in
            print(response.error?.label ?? "uploaded")
        }.resume()
        // end
    }
}
