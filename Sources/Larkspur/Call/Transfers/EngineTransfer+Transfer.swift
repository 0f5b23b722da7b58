#if canImport(FoundationNetworking)
extension EngineTransfer: Transfer {
    func perform(_ control: TaskControl) {
        switch control {
        case .start, .resume: resume()
        case .suspend: suspend()
        case .cancel: cancel()
        case .cancelKeepingResumeData: cancelKeepingResumeData()
        }
    }
}
#endif
