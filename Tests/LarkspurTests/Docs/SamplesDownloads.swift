#if canImport(FoundationNetworking)
import Larkspur

/// The samples of `Docs/Downloads.md`, each between two markers; what they print is noted.
struct DownloadSamples: Sendable {
    let manager: SessionManager
    let url: URL
    let folder: URL
    let output = Recorder<String>()

    private func print(_ items: Any...) { output.record(items.map { "\($0)" }.joined(separator: " ")) }

    func toFile() async throws {
        // sample: download to a file
        let destination = DownloadDestination.file(folder.appendingPathComponent("disk.iso"))
        let task = manager.downloadTask(with: URLRequest(url: url), to: destination)
            .downloadProgress { progress in
                print("\(progress.completedUnitCount) of \(progress.totalUnitCount)")
            }
        do {
            let file = try await task.file
            if try file.checkResourceIsReachable() { print("saved", file.lastPathComponent) }
        } catch let error as LarkspurError {
            print("failed:", error.label)
        }
        // end
    }

    struct Report: Decodable, Sendable {
        let title: String
    }

    func typedValue() async throws {
        // sample: typed download
        let report = try await manager.download("report.json").value(as: Report.self)
        print(report.title)
        // end
    }

    static func managerWithFolder(_ folder: URL) -> SessionManager {
        // sample: folder of partial downloads
        var options = CurlURLSession.Options()
        options.partialDownloadFolder = folder
        let manager = SessionManager(transport: .curl(options))
        // end
        return manager
    }

    func byItself() -> DownloadTask {
        // sample: download that goes on by itself
        let destination = DownloadDestination.file(folder.appendingPathComponent("disk.iso"))
        let task = manager.downloadTask(with: URLRequest(url: url), resumes: 10, to: destination)
            .downloadProgress { progress in print("\(progress.completedUnitCount) bytes") }
            .response { response in print(response.error?.label ?? "saved") }
        // end
        return task
    }

    func cancel(_ task: DownloadTask) {
        // sample: cancellation with resume data
        task.cancel { resumeData in
            print(resumeData == nil ? "starts over" : "can continue")
        }
        // end
    }

    func goOn(with resumeData: Data) {
        // sample: download with resume data
        let destination = DownloadDestination.file(folder.appendingPathComponent("disk.iso"))
        manager.downloadTask(withResumeData: resumeData, to: destination)
            .downloadProgress { progress in
                print("\(progress.completedUnitCount) of \(progress.totalUnitCount)")
            }
            .response { response in
                if let error = response.error {
                    print("failed: \(error.label), \(error.resumeData == nil ? "for good" : "but may continue")")
                }
            }
        // end
    }

    func awaited() async {
        // sample: awaited download with resume data
        let stored = folder.appendingPathComponent("disk.iso.resume")
        let task = manager.download(
            "disk.iso",
            resumes: 10,
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

    func note(_ task: DownloadTask) throws {
        // sample: resume data of a download under way
        if let resumeData = task.resumeData {
            try resumeData.write(to: folder.appendingPathComponent("disk.iso.resume"), options: .atomic)
        }
        // end
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

    func discard(_ resumeData: Data) {
        // sample: discarding resume data
        CurlURLSession.discardResumeData(resumeData)
        // end
    }

    func discardAbandoned() {
        // sample: discarding abandoned downloads
        CurlURLSession.discardPartialDownloads(in: folder, unwrittenFor: .seconds(7 * 86_400))
        // end
    }
}
#endif
