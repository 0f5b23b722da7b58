extension URLSession.ResponseDisposition {
    /// `becomeDownload`: have the content written to a file. By that name FoundationNetworking calls it deprecated, as
    /// its own sessions cannot do it.
    public static var download: Self { Self(rawValue: 2) ?? .allow }
}
