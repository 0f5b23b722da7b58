#if canImport(FoundationNetworking)
internal import CLibcurl

/// The content of responses, as libcurl decodes it.
extension Exchange {
    func receiveContent(_ bytes: UnsafeRawBufferPointer) -> EasyHandle.Reception {
        touch()
        if isSuspended { return .paused }
        guard !bytes.isEmpty else { return .taken }
        if mustWait {
            isReceivingPaused = true
            return .paused
        }
        decodedBytes += Int64(bytes.count)
        guard isExpansionAcceptable else {
            failure = .engine(
                .cannotDecodeContentData,
                "The content expands to more than \(reactor.settings.options.maximumExpansion) times its coded size.",
                url: request.url
            )
            return .refused
        }
        switch fate {
        case .kept: kept.append(Data(bytes))
        case .delivered:
            if let error = deliver(bytes) {
                failure = error
                return .refused
            }
        }
        return .taken
    }

    private var mustWait: Bool {
        switch fate {
        case .kept: kept.reduce(0) { $0 + $1.count } >= Backlog.upperMark
        case .delivered: task.backlog.pausesTransfer()
        }
    }

    private var isExpansionAcceptable: Bool {
        guard hasEncodedContent, decodedBytes > 16 << 20, let handle else { return true }
        let received = max(1, handle.int64(CURLINFO_SIZE_DOWNLOAD_T))
        return decodedBytes / received <= Int64(reactor.settings.options.maximumExpansion)
    }

    /// Hands content on to where the task wants it.
    func deliver(_ data: Data) -> URLError? { data.withUnsafeBytes { deliver($0) } }

    private func deliver(_ bytes: UnsafeRawBufferPointer) -> URLError? {
        let count = Int64(bytes.count)
        if task.kind == .download {
            do throws(URLError) {
                try openFile().write(bytes)
            } catch {
                return error
            }
        } else if !task.isPiecewise {
            content.append(contentsOf: bytes)
        } else {
            task.backlog.add(bytes.count)
            reactor.deliver(.data(Data(bytes)), to: task)
        }
        var total: Int64 = 0
        var expected: Int64 = 0
        task.count {
            $0.received += count
            total = $0.received
            expected = $0.expectedToReceive
        }
        if task.kind == .download, task.completion == nil {
            reactor.deliver(.wrote(count, total: total, expected: expected), to: task)
        }
        return nil
    }
}
#endif
