extension Platform {
    /// Creates a transfer whose events the session passes directly to the receiver.
    /// - Parameter request: The request; nil for the request in the resume data.
    /// - Returns: Nil for a session that calls only its delegate, and for a transfer that needs a `URLSessionTask`.
    static func makeTransfer(
        _ template: TransferTemplate,
        _ request: URLRequest?,
        in session: URLSession,
        for receiver: any TransferReceiver
    ) -> (any Transfer)? {
        #if canImport(FoundationNetworking)
        guard let session = session as? CurlURLSession, session.callsReceivers else { return nil }
        let transfer: EngineTransfer?
        if let resumeData = template.resumeData {
            guard CurlURLSession.isResumeData(resumeData) else { return nil }
            transfer = session.makeTransfer(resuming: resumeData, with: request, for: receiver)
        } else {
            transfer = request.flatMap { session.makeTransfer($0, template.transferContent(of: $0), for: receiver) }
        }
        if let options = template.options.ofTransfer { transfer?.use(options) }
        return transfer
        #else
        nil
        #endif
    }
}
