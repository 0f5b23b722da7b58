import LarkspurTransport

@testable import Larkspur

extension ResponsePipeline {
    /// Runs the pipeline with a response that exists.
    static func run<S: ResponseSerializer>(
        _ serializer: S,
        request: URLRequest?,
        response: URLResponse?,
        data: Data
    ) -> sending Result<S.Output, LarkspurError> {
        run(serializer, request: request, response: response.map(ReceivedResponse.init), data: data)
    }
}
