/// An error that stands for several others.
protocol ErrorCollection: Error {
    var errors: [LarkspurError] { get }
}
