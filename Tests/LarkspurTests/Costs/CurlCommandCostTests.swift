import TestSupport
import Testing

@testable import Larkspur
@testable import LarkspurCurlCommands

/// The costs of command lines, which a program may make of thousands of options.
@Suite("Costs of command lines for curl", .enabled(if: Growth.isMeasured), .serialized, .timeLimit(.minutes(5)))
struct CurlCommandCostTests {
    @Test(
        "Parsing four times as many options of curl takes about four times as long",
        arguments: [
            "-H 'X-#: v'", "-H 'X-A: #'", "-H X-#:", "-H 'Host: h#'", "-b a#=1", "-d a#=1", "--json #", "-k",
            "-o #", "--data-urlencode 'a=é #'", "-H \"X-#: $V\"", "2>#",
        ]
    )
    func options(option: String) {
        let command = { (count: Int) in
            "curl " + (0..<count).map { option.replacing("#", with: String($0)) + " " }.joined() + "http://u:p@h/"
        }
        let growth = Growth.factor(of: command, upTo: 8_000) { command in
            let read = try? CurlCommand(command, variables: ["V": "v"])
            #expect(read?.request.url?.host == "h")
        }
        #expect(growth < Growth.linear)
    }
}
