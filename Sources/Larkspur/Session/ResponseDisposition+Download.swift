extension URLSession.ResponseDisposition {
    /// The disposition `becomeDownload`, which writes the content to a file. FoundationNetworking marks that name as
    /// deprecated, because its own sessions do not support it.
    public static var download: Self { Self(rawValue: 2) ?? .allow }
}
