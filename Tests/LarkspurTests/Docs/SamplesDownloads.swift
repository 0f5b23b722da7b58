#if canImport(FoundationNetworking)
import Larkspur

/// The samples of `Docs/Downloads.md`, each between two markers; what they print is noted.
struct DownloadSamples: Sendable {
    let manager: SessionManager
    let url: URL
    let folder: URL
    let output = Recorder<String>()

    private func print(_ items: Any...) { output.record(items.map { "\($0)" }.joined(separator: " ")) }

    static func managerWithFolder(_ folder: URL) -> SessionManager {
        // sample: folder of partial downloads
        var options = CurlURLSession.Options()
        options.partialDownloadFolder = folder
        let manager = SessionManager(transport: .curl(options))
        // end
        return manager
    }

    func verified(_ checksum: String, _ size: Int64) async throws -> URL {
        // sample: verified download
        let file = try await manager.download("disk.iso", maximumResumptions: 10, to: .folder(folder))
            .verifyDigest(.expecting(.sha256(checksum), size: size))
            .file
        // end
        return file
    }

    func awaited() async {
        // sample: awaited download with resume data
        let stored = folder.appendingPathComponent("disk.iso.resume")
        let task = manager.download(
            "disk.iso",
            maximumResumptions: 10,
            resumeData: try? Data(contentsOf: stored),
            to: .folder(folder, replacing: true)
        )
        do {
            print("saved", try await task.file.lastPathComponent)
            try? FileManager.default.removeItem(at: stored)
        } catch {
            try? error.resumeData?.write(to: stored, options: .atomic)
            print("failed:", error.label)
        }
        // end
    }

    func storing(_ task: DownloadTask) -> Task<Void, any Error> {
        // sample: resume data of a download under way
        let storing = Task {
            while true {
                try task.resumeData?.write(to: folder.appendingPathComponent("disk.iso.resume"), options: .atomic)
                try await manager.clock.sleep(for: .seconds(10))
            }
        }
        // end
        return storing
    }

    func withRequest(_ resumeData: Data, token: String) {
        // sample: resume data with a request
        var request = URLRequest(url: url)
        request.headers["Authorization"] = "Bearer \(token)"
        let task = manager.downloadTask(withResumeData: resumeData, request: request) { response in
            print(response.error?.label ?? "done")
        }
        task.resume()
        // end
    }

    func discardAbandoned() {
        // sample: discarding abandoned downloads
        CurlURLSession.discardPartialDownloads(in: folder, unwrittenFor: .seconds(7 * 86_400))
        // end
    }
}
#endif
