extension SessionManager {
    /// Posted when a session has become invalid: its tasks have ended and it creates no more. The object is the
    /// `SessionManager`.
    public static let didInvalidateNotification = Notification.Name("LarkspurSessionDidInvalidate")
}
