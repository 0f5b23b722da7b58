import Larkspur

/// The samples of `Docs/Uploads.md`, each between two markers; what they print is noted.
struct UploadSamples: Sendable {
    let manager: SessionManager
    let file: URL
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

    func sequence() async {
        // sample: body from a sequence
        let source = manager.get("disk.iso").chunks
        let response = await manager.put("copies/disk.iso", body: .sequence(source)).response()
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

    func trailers() async {
        // sample: trailers of a request
        let body = RequestBody.writer(contentType: "text/csv", trailers: ["X-Row-Count"]) { writer in
            for number in 1...1000 { try await writer.write("\(number),\(number * number)\n") }
            try await writer.finish(trailers: ["X-Row-Count": "1000"])
        }
        let response = await manager.post("tables", body: body).response()
        print(response.error?.label ?? "sent")
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
}
